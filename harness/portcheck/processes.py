"""A process per engine that examines robot files one after the other; a crash or a hang costs that engine that file."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType

from ..errors import UsageError
from .finding import Case, Examined, from_plain
from .items import chosen

POLL = 0.02  # [s]
HERE = ("timeout", "dynamic", "bandwidth")  # options that the engine's process has no use for
TAIL = 3  # last lines of what a crashed process printed


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a robot file is examined.

    Attributes:
        only: items or groups; empty means all.
        reference: who computes poses and dynamics of the source, pinocchio or mujoco.
        rtol, tolerances: see `examine.Tolerances`.
        timeout: wall time that one engine may take for the static items of one file [s].
        dynamic: whether items that need simulation are run; `bandwidth`: of their torque law [rad/s], None lets the
            robot choose it.
    """

    only: tuple[str, ...] = ()
    reference: str = "pinocchio"
    package_path: tuple[str, ...] = ()
    without_geometry: bool = False
    rtol: float | None = None
    tolerances: dict[str, float] = field(default_factory=dict)
    timeout: float = 600.0
    dynamic: bool = True
    bandwidth: float | None = None


class EngineProcess:
    """The worker of one engine; started when it is first asked, and again after a crash."""

    def __init__(self, engine: str, folder: Path) -> None:
        self.engine, self.folder = engine, folder
        self._process: subprocess.Popen[bytes] | None = None
        self._asked = 0

    def __enter__(self) -> EngineProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def running(self) -> bool:
        """Whether the engine is there already, so that no time goes into its import."""
        return self._process is not None and self._process.poll() is None

    def ask(self, robot: Path, options: Options) -> None:
        """Send a request; `Examined` comes from `answer`."""
        self._asked += 1
        out = self._out()
        out.unlink(missing_ok=True)  # of an earlier use of the folder
        request = {key: value for key, value in asdict(options).items() if key not in HERE}
        request |= {"robot": str(robot), "out": str(out), "folder": str(self.folder / f"{self.engine}-{self._asked}")}
        if self._process is None or self._process.poll() is not None:
            self._start()
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()

    def answer(self, options: Options) -> Examined:
        """Wait for the answer to the last request.

        Raises:
            UsageError: the robot file itself cannot be used.
        """
        assert self._process is not None
        out, deadline = self._out(), time.monotonic() + options.timeout
        while not out.exists():
            if self._process.poll() is not None and not out.exists():
                return self._incomplete(
                    options, f"the process ended with code {self._process.returncode}: {self._last_words()}"
                )
            if time.monotonic() > deadline:
                self.stop()
                return self._incomplete(options, f"no answer within {options.timeout:g} s")
            time.sleep(POLL)
        plain = json.loads(out.read_text())
        if "usage" in plain:
            raise UsageError(plain["usage"])
        if "broken" in plain:
            return self._incomplete(options, plain["broken"])
        return from_plain(plain)

    def stop(self) -> None:
        """End the process."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _out(self) -> Path:
        return self.folder / f"{self.engine}-{self._asked}.json"

    def _start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{self.engine}.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "simparity.harness.portcheck.worker", self.engine],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
            )

    def _last_words(self) -> str:
        lines = (self.folder / f"{self.engine}.log").read_text(errors="replace").strip().splitlines()
        return " / ".join(lines[-TAIL:]) or "it printed nothing"

    def _incomplete(self, options: Options, reason: str) -> Examined:
        items: Sequence[str] = [item.id for item in chosen(options.only) if not item.dynamic]
        cases = tuple(Case(item=item, engine=self.engine, status="incomplete", reason=reason) for item in items)
        return Examined(engine=self.engine, cases=cases)
