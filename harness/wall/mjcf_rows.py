"""Traps of MJCF: defaults, options, joints, actuators, inertia. Sources: MuJoCo's XML reference and modelling chapter."""

from __future__ import annotations

import math

from .row import Row

_INERTIAL = '<inertial mass="2" pos="0 0 -0.5" diaginertia="0.1 0.1 0.1"/>'
_I = 0.1 + 2 * 0.5**2  # [kg m^2] of that about the hinge


def _arm(joint: str, *, head: str = "", tail: str = "", body: str = "", inertial: str = _INERTIAL) -> str:
    """One body `arm` on a hinge about y; `joint`, `body` are more attributes of the two."""
    element = joint if joint.startswith("<") else f'<joint name="hinge" type="hinge" axis="0 1 0" {joint}/>'
    return (
        f'<mujoco model="wall">{head}<worldbody><body name="arm" pos="0 0 1" {body}>{element}{inertial}'
        f"</body></worldbody>{tail}</mujoco>"
    )


_CLASSES = '<default><joint damping="0.7"/></default>'
_NESTED = (
    '<default><default class="one"><joint damping="0.3"/><default class="two"><joint armature="0.04"/></default>'
    "</default></default>"
)
_TURNED = (
    '<inertial mass="2" pos="0 0 -0.5" quat="0.7071067811865476 0 0 0.7071067811865476" diaginertia="0.2 0.3 0.4"/>'
)
_FULL = '<inertial mass="2" pos="0 0 -0.5" fullinertia="0.2 0.3 0.4 0.01 0.02 0.03"/>'
_BALL = '<geom name="ball" type="sphere" size="0.1"/>'
_BOX = " ".join(f"{x} {y} {z}" for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1))
_MESH = f'<asset><mesh name="cube" vertex="{_BOX}"/></asset>'


def _motor(words: str) -> str:
    return f"<actuator>{words}</actuator>"


def _option(words: str) -> str:
    return _arm("", head=f"<option {words}/>") if words else _arm("")


_ONE_HINGE = _arm("")
_TWO = (
    '<mujoco model="wall"><worldbody><body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>'
    f'{_INERTIAL}<body name="tip" pos="0.5 0 0"><joint name="second" axis="0 1 0"/>{_INERTIAL}</body></body></worldbody>'
    "{}</mujoco>"
)
_POSITION = '<position name="servo" joint="hinge" kp="100"{}/>'

MJCF_ROWS: tuple[Row, ...] = (
    Row("class-default", "joint damping from the main default class", _arm("", head=_CLASSES), _ONE_HINGE,
         "joint.hinge.damping", "N m s/rad", 0.7, "XML reference, default"),
    Row("nested-default", "damping of the outer class reaches an inner one", _arm('class="two"', head=_NESTED),
         _ONE_HINGE, "joint.hinge.damping", "N m s/rad", 0.3, "XML reference, default: a class takes its parent's values"),
    Row("nested-own", "armature of the inner class itself", _arm('class="two"', head=_NESTED), _ONE_HINGE,
         "joint.hinge.armature", "kg m^2", 0.04, "XML reference, default"),
    Row("childclass", "class of a body for all that is in it", _arm("", head=_NESTED, body='childclass="one"'),
         _ONE_HINGE, "joint.hinge.damping", "N m s/rad", 0.3, "XML reference, body/childclass"),
    Row("option-gravity", "<option gravity>", _option('gravity="0 0 -1.62"'), _ONE_HINGE, "option.gravity", "m/s^2",
         (0.0, 0.0, -1.62), "XML reference, option/gravity"),
    Row("option-timestep", "<option timestep>", _option('timestep="0.004"'), _ONE_HINGE, "option.timestep", "s", 0.004,
         "XML reference, option/timestep"),
    Row("option-integrator", "<option integrator> not given is Euler", _ONE_HINGE, "", "option.integrator", "", "euler",
         "XML reference, option/integrator: default Euler"),
    Row("option-cone", "<option cone>", _option('cone="elliptic"'), _ONE_HINGE, "option.cone", "", "elliptic",
         "XML reference, option/cone"),
    Row("flag-contact", '<flag contact="disable">', _arm("", head='<option><flag contact="disable"/></option>'),
         _ONE_HINGE, "option.contact", "", False, "XML reference, flag/contact"),
    Row("flag-gravity", '<flag gravity="disable">', _arm("", head='<option><flag gravity="disable"/></option>'),
         _ONE_HINGE, "option.gravity_on", "", False, "XML reference, flag/gravity"),
    Row("springdamper", "springdamper 0.1 1: stiffness I/(tc^2 zeta^2)", _arm('springdamper="0.1 1"'), _ONE_HINGE,
         "joint.hinge.stiffness", "N m/rad", _I / 0.1**2, "XML reference, joint/springdamper; closed form"),
    Row("springdamper-d", "springdamper 0.1 1: damping 2 I/tc", _arm('springdamper="0.1 1"'), _ONE_HINGE,
         "joint.hinge.damping", "N m s/rad", 2 * _I / 0.1, "XML reference, joint/springdamper; closed form"),
    Row("springref", "spring's rest position in degrees", _arm('stiffness="3" springref="30"'), _arm('stiffness="3"'),
         "joint.hinge.rest", "rad", math.pi / 6, "XML reference, joint/springref, compiler/angle"),
    Row("dampratio", "dampratio 1 of a position servo: 2 sqrt(kp I)",
         _arm("", tail=_motor(_POSITION.format(' dampratio="1"'))), _arm("", tail=_motor(_POSITION.format(""))),
         "actuator.velocity_gain", "N m s/rad", 2 * math.sqrt(100 * _I), "XML reference, position/dampratio; closed form"),
    Row("damper", "a damper actuator with kv 3",
         _arm("", tail=_motor('<damper name="brake" joint="hinge" kv="3" ctrlrange="0 1"/>')), _ONE_HINGE,
         "actuator.damper", "N m s/rad", 3.0, "XML reference, actuator/damper: force = -kv velocity control"),
    Row("gear", "gear 50 of a motor", _arm("", tail=_motor('<motor name="m" joint="hinge" gear="50"/>')),
         _arm("", tail=_motor('<motor name="m" joint="hinge"/>')), "actuator.gear", "1", 50.0, "XML reference, general/gear"),
    Row("forcerange", "force range of an actuator",
         _arm("", tail=_motor('<motor name="m" joint="hinge" forcerange="-7 7"/>')),
         _arm("", tail=_motor('<motor name="m" joint="hinge"/>')), "actuator.force_limit", "N m", 7.0,
         "XML reference, general/forcerange with autolimits"),
    Row("actuatorfrcrange", "torque range of a joint", _arm('actuatorfrcrange="-5 5"'), _ONE_HINGE,
         "joint.hinge.effort", "N m", 5.0, "XML reference, joint/actuatorfrcrange with autolimits"),
    Row("degrees", "a range is in degrees unless told otherwise", _arm('range="-90 90"'), _ONE_HINGE,
         "joint.hinge.upper", "rad", math.pi / 2, "XML reference, compiler/angle: default degree"),
    Row("radians", 'a range with angle="radian"', _arm('range="-1 1"', head='<compiler angle="radian"/>'), _ONE_HINGE,
         "joint.hinge.lower", "rad", -1.0, "XML reference, compiler/angle"),
    Row("unlimited", 'limited="false" beside a range', _arm('limited="false" range="-60 60"'), "", "joint.hinge.upper",
         "rad", math.inf, "XML reference, joint/limited"),
    Row("ref", "joint position of the given pose is 30 degrees", _arm('ref="30"'), _ONE_HINGE, "joint.hinge.ref", "rad",
         math.pi / 6, "XML reference, joint/ref"),
    Row("frictionloss", "dry friction of a joint", _arm('frictionloss="0.2"'), _ONE_HINGE, "joint.hinge.frictionloss",
         "N m", 0.2, "XML reference, joint/frictionloss"),
    Row("armature-default", "a joint without armature has none", _ONE_HINGE, "", "joint.hinge.armature", "kg m^2", 0.0,
         "XML reference, joint/armature: default 0"),
    Row("several-joints", "three hinges on one body",
         _arm('<joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/><joint name="z" axis="0 0 1"/>'), "",
         "model.dofs", "1", 3, "XML reference, joint: a body may have several"),
    Row("ball-joint", "a ball joint has three degrees of freedom", _arm('<joint name="socket" type="ball"/>'), "",
         "model.dofs", "1", 3, "XML reference, joint/type"),
    Row("ball-range", "range of a ball joint", _arm('<joint name="socket" type="ball" range="0 30"/>'),
         _arm('<joint name="socket" type="ball"/>'), "joint.socket.upper", "rad", math.pi / 6,
         "XML reference, joint/range: of a ball, the largest angle"),
    Row("free-joint", "a free joint has six degrees of freedom", _arm('<freejoint name="free"/>'), "", "model.dofs", "1", 6,
         "XML reference, freejoint"),
    Row("full-inertia", "fullinertia with off-diagonal terms", _arm("", inertial=_FULL), "", "body.arm.inertia",
         "kg m^2", (0.2, 0.01, 0.02, 0.01, 0.3, 0.03, 0.02, 0.03, 0.4), "XML reference, inertial/fullinertia", 1e-6),  # 3.11 finds principal axes to 2e-7 only
    Row("inertial-frame", "diaginertia in a frame turned by 90 degrees", _arm("", inertial=_TURNED), "",
         "body.arm.inertia", "kg m^2", (0.3, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.4), "R diag(a, b, c) R^T, closed form"),
    Row("no-inertial", "mass from the geoms, 1000 kg/m^3", _arm("", inertial=_BALL), "", "body.arm.mass", "kg",
         4000 / 3 * math.pi * 0.1**3, "XML reference, inertial and geom/density; closed form"),
    Row("inertia-from-geom", "inertiafromgeom=true overrides <inertial>",
         _arm("", head='<compiler inertiafromgeom="true"/>', inertial=_INERTIAL + _BALL), _arm("", inertial=_INERTIAL + _BALL),
         "body.arm.mass", "kg", 4000 / 3 * math.pi * 0.1**3, "XML reference, compiler/inertiafromgeom; closed form"),
    Row("settotalmass", "settotalmass 3 scales all masses", _arm("", head='<compiler settotalmass="3"/>'), _ONE_HINGE,
         "model.moving_mass", "kg", 3.0, "XML reference, compiler/settotalmass"),
    Row("mesh-inertia", "mass of a mesh given by its vertices",
         _arm("", head=_MESH, inertial='<geom name="shape" type="mesh" mesh="cube"/>'), "", "body.arm.mass", "kg", 8.0,
         "density times volume, closed form", 1e-6),  # vertices of a mesh are kept in 32 bit
    Row("capsule-fromto", "capsule from end to end",
         _arm("", inertial='<geom name="rod" type="capsule" fromto="0 0 0 0 0 0.4" size="0.05"/>'), "", "body.arm.mass", "kg",
         1000 * math.pi * 0.05**2 * (0.4 + 4 / 3 * 0.05), "XML reference, geom/fromto; closed form"),
    Row("cylinder-fromto", "cylinder from end to end",
         _arm("", inertial='<geom name="rod" type="cylinder" fromto="0 0 0 0 0 0.4" size="0.05"/>'), "", "body.arm.com", "m",
         (0.0, 0.0, 0.2), "XML reference, geom/fromto; closed form"),
    Row("mimic-equality", "joint equality second = 0.1 + 2 hinge",
         _TWO.format('<equality><joint joint1="second" joint2="hinge" polycoef="0.1 2 0 0 0"/></equality>'), _TWO.format(""),
         "mimic.second.law", "1, rad", (2.0, 0.1), "XML reference, equality/joint"),
    Row("gravcomp", "gravity compensation of a body", _arm("", body='gravcomp="1"'), _ONE_HINGE, "body.arm.gravcomp", "1",
         1.0, "XML reference, body/gravcomp"),
    Row("keyframe", "joint position of a keyframe", _arm("", tail='<keyframe><key name="home" qpos="0.7"/></keyframe>'),
         _ONE_HINGE, "key.home.q", "rad", 0.7, "XML reference, keyframe/key"),
    Row("eulerseq", "Euler angles in the order ZYX", _arm("", head='<compiler eulerseq="ZYX"/>', body='euler="90 0 0"'),
         _arm("", body='euler="90 0 0"'), "body.arm.rotation", "1", (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
         "XML reference, compiler/eulerseq; rotation about z"),
    Row("frame", "a body in a <frame> of the file",
         _arm("").replace("<worldbody>", '<worldbody><frame pos="0 0 1">').replace("</worldbody>", "</frame></worldbody>"),
         _ONE_HINGE, "body.arm.position", "m", (0.0, 0.0, 2.0), "XML reference, frame"),
    Row("replicate", "three more copies of a body",
         _arm("").replace("</worldbody>", f'<replicate count="3" offset="1 0 0"><body name="more"><joint name="again" '
         f'axis="0 1 0"/>{_INERTIAL}</body></replicate></worldbody>'), _ONE_HINGE, "model.dofs", "1", 4,
         "XML reference, replicate"),
)  # fmt: skip
