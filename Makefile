# make demo    set up, run the main job on real engines, write the report       (ENGINES="mujoco newton" narrows it)
# make test    set up, run every test, linter and type check                     (ENGINES narrows the engine tests)
# make bench   set up, print what logging costs and how fast the engines step    (ENGINES narrows it)
# make clean   remove what the other targets made, except results/ and reports/

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
ENGINES ?= mujoco newton genesis physx drake

empty :=
space := $(empty) $(empty)
comma := ,
words := $(sort $(subst $(comma),$(space),$(ENGINES)))
list := $(subst $(space),$(comma),$(words))
name := $(subst $(space),-,$(words))
bin := $(VENV)/bin
ready := $(VENV)/.ready-$(name)
ready_dev := $(VENV)/.ready-dev-$(name)

known := mujoco newton genesis physx drake
unknown := $(filter-out $(known),$(words))
ifneq ($(unknown),)
$(error engine $(unknown) does not exist; known engines: $(known))
endif

.PHONY: demo test bench clean
.DELETE_ON_ERROR:

demo: $(ready)
	@status=0; $(bin)/simparity run study=demo engine=$(list) || status=$$?; \
	if [ $$status -gt 1 ]; then exit $$status; fi; \
	$(bin)/simparity report results -o reports/demo --only study=demo engine=$(list) && \
	echo "Open reports/demo.html in a browser." && exit $$status

test: $(ready_dev)
	$(bin)/ruff check .
	$(bin)/ruff format --check .
	@mkdir -p .typecheck && ln -sfn .. .typecheck/simparity
	MYPYPATH=.typecheck $(bin)/mypy -p simparity.harness -p simparity.engines -p simparity.experiments
	$(bin)/lint-imports
	$(bin)/python -m pytest --engines $(list)

bench: $(ready)
	$(bin)/simparity bench $(words)
	$(bin)/python tests/bench_report.py

$(bin)/python:
	$(PYTHON) -m venv $(VENV)
	$(bin)/python -m pip install --quiet --upgrade pip

$(ready): pyproject.toml | $(bin)/python
	@echo "Installing simparity with $(words) into $(VENV); some minutes on a new machine."
	$(bin)/python -m pip install --quiet -e ".[$(list)]"
	@touch $@

$(ready_dev): pyproject.toml | $(bin)/python
	@echo "Installing simparity with $(words) and its tests into $(VENV); some minutes on a new machine."
	$(bin)/python -m pip install --quiet -e ".[$(list),dev]"
	@touch $@

clean:
	rm -rf $(VENV) .typecheck build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
