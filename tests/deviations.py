"""Known deviations from the contract: (engine, test) -> reason, with the note that shows it."""

from __future__ import annotations

DEVIATIONS: dict[tuple[str | None, str], str] = {}

# Part of the momentum [1] by which the solver's forces and its velocities may disagree, where an engine stops there and
# no option sets it. drake: rel_tolerance of SapSolverParameters, which pydrake does not expose; see its NOTES.md.
RESIDUALS: dict[str, float] = {"drake": 1e-6}
