"""Known deviations from the contract: (engine, test) -> reason, with the note that shows it."""

from __future__ import annotations

DEVIATIONS: dict[tuple[str | None, str], str] = {
    ("drake", "test_beyond_the_capacity_it_falls"): (
        "lagged friction is bounded by the normal force of the step before, so it is not mu N where a contact opens "
        "and closes from step to step; engines/drake/NOTES.md, The four approximations"
    ),
    ("drake", "test_all_but_what_cannot_reach_is_swept_into_the_tray"): (
        "at matched's 1e9 Pa and 2 ms the paddle and a box of 50 g hammer at each other, and it falls 17 mm behind; "
        "engines/drake/NOTES.md, Robots that touch"
    ),
    ("physx", "test_the_first_touch_is_at_the_jam_depth"): (
        "the persistent contact manifold sees a round peg's rim 23 um early; engines/physx/NOTES.md, a peg in a bore"
    ),
    ("newton", "test_every_interface_carries_what_is_above_it"): (
        "MuJoCo Warp loses all points of a box on a box for one step when they overlap by less than some 40 um; see "
        "engines/newton/NOTES.md, Surprises"
    ),
}

# (engine, experiment, settings) -> the checks that fail at the experiment's own parameters, and why that is a finding
FAILED_CHECKS: dict[tuple[str, str, str], tuple[str, str]] = {
    ("drake", "sliding_block", "default"): (
        "friction_ratio sideways_drift stopping_distance",
        "a bare box touches the ground at one point, so friction tips the cube onto its leading corners; see NOTES.md",
    ),
}
