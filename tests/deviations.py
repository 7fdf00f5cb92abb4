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
    ("drake", "test_the_direction_matters_to_a_pyramid_only"): (
        "default: the bare box of the plate touches the ground at one point, leans on its leading edge and is 11 % too "
        "slow; corners give 3.8191 m/s^2; engines/drake/NOTES.md, Flat faces"
    ),
    ("drake", "test_the_first_touch_is_at_the_jam_depth"): (
        "a body's edge bears E L x^2/H and 0.1 N only when it is tens of um deep; at 1e11 Pa a square peg touches at "
        "15.45 mm; engines/drake/NOTES.md, A peg in a bore"
    ),
    ("drake", "test_overload_ends_the_run"): (
        "at Drake's default of 1e7 Pa an edge bears less than 2 N by then; engines/drake/NOTES.md, A peg in a bore"
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
    ("drake", "pinch_creep", "default"): (
        "pad_force",
        "the capsule touches a pad at one point, which jumps along the line of contact: no pad rests; see NOTES.md",
    ),
    ("drake", "rolling", "default"): (
        "ball_acceleration plate_acceleration",
        "the plate is a bare box, as above: it leans on one point and friction at it slows it down; see NOTES.md",
    ),
}
