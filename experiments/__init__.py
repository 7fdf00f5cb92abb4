"""The experiments. A new one is one Python file, one YAML under conf/experiment, and one line here."""

from __future__ import annotations

from collections.abc import Mapping

# what `simparity bench` measures: experiment and settings profile
BENCHED = (("drop", "published"), ("single_arm", "matched"))

# what the porting checklist runs a robot in
ROBOT_EXPERIMENT = "single_arm"

EXPERIMENTS: Mapping[str, str] = {
    "throw": "throw:Throw",
    "drop": "drop:Drop",
    "hinge": "hinge:Hinge",
    "single_arm": "single_arm:SingleArm",
    "duo": "duo:Duo",
    "throughput": "throughput:Throughput",
    "dynamics": "dynamics:DynamicsCheck",
    "sliding_block": "sliding_block:SlidingBlock",
    "peg_insertion": "peg_insertion:PegInsertion",
    "tumble": "tumble:Tumble",
    "stack": "stack:Stack",
    "rolling": "rolling:Rolling",
    "collision_chain": "collision_chain:CollisionChain",
    "pinch_creep": "pinch_creep:PinchCreep",
    "push": "push:Push",
    "crowded_sweep": "crowded_sweep:CrowdedSweep",
    "soft_ball_grasp": "soft_ball_grasp:SoftBallGrasp",
    "plate_compression": "plate_compression:PlateCompression",
}
