"""Traps of MJCF that decide who touches whom, and how. Source: MuJoCo's XML reference and its chapter on contact."""

from __future__ import annotations

from .row import Row

_SIZE = 0.1  # [m] radius; the two are 0.5 m apart, so that nothing overlaps at the start


def _two(first: str, second: str, tail: str = "") -> str:
    """Bodies `left` and `right`, each a ball on a free joint; the arguments are more attributes of the two geoms."""
    bodies = "".join(
        f'<body name="{name}" pos="{x} 0 1"><freejoint/><geom name="{name}ball" type="sphere" size="{_SIZE}" {words}/></body>'
        for name, x, words in (("left", 0.0, first), ("right", 0.5, second))
    )
    return f'<mujoco model="wall"><worldbody>{bodies}</worldbody>{tail}</mujoco>'


_PLAIN = _two("", "")
_CHAIN = (
    '<mujoco model="wall"><worldbody><body name="left" pos="0 0 1">{}<geom name="leftball" type="sphere" size="0.1"/>'
    '<body name="right" pos="0.5 0 0"><joint name="hinge" axis="0 1 0"/><geom name="rightball" type="sphere" size="0.1"/>'
    "</body></body></worldbody></mujoco>"
)
_EXCLUDE = '<contact><exclude body1="left" body2="right"/></contact>'


CONTACT_ROWS: tuple[Row, ...] = (
    Row("exclude", "<exclude> of two bodies", _two("", "", _EXCLUDE), _PLAIN, "pair.left+right.collide", "", False,
         "XML reference, contact/exclude"),
    Row("masks", "contype 1, conaffinity 2 against 4, 8",
         _two('contype="1" conaffinity="2"', 'contype="4" conaffinity="8"'), _PLAIN, "pair.left+right.collide", "", False,
         "chapter on contact: neither contype meets the other's conaffinity"),
    Row("one-mask", "contype 1 and conaffinity 0 against 0 and 1",
         _two('contype="1" conaffinity="0"', 'contype="0" conaffinity="1"'), "", "pair.left+right.collide", "", True,
         "chapter on contact: one match is enough"),
    Row("parent-filter", "parent and child do not touch", _CHAIN.format('<joint name="base" axis="0 1 0"/>'), "",
         "pair.left+right.collide", "", False, "chapter on contact: parent and child are filtered"),
    Row("static-parent", "a child and its fixed parent do touch", _CHAIN.format(""), "", "pair.left+right.collide", "", True,
         "chapter on contact: not where the parent is the world or welded to it"),
    Row("friction-priority", "friction of the geom with the higher priority",
         _two('friction="0.2" priority="1"', 'friction="0.9"'), _two('friction="0.2"', 'friction="0.9"'),
         "pair.left+right.friction", "1", 0.2, "XML reference, geom/priority"),
    Row("friction-max", "friction of two geoms of equal priority", _two('friction="0.2"', 'friction="0.9"'), "",
         "pair.left+right.friction", "1", 0.9, "chapter on contact: the element-wise maximum"),
    Row("friction-default", "friction where none is given", _PLAIN, "", "geom.leftball.friction", "1", 1.0,
         "XML reference, geom/friction: default 1"),
    Row("margin", "contact margin of a geom", _two('margin="0.02"', ""), _PLAIN, "geom.leftball.margin", "m", 0.02,
         "XML reference, geom/margin"),
    Row("gap", "contact gap of a geom", _two('margin="0.02" gap="0.01"', ""), _two('margin="0.02"', ""),
         "geom.leftball.gap", "m", 0.01, "XML reference, geom/gap"),
    Row("gap-default", "gap where none is given", _PLAIN, "", "geom.leftball.gap", "m", 0.0,
         "XML reference, geom/gap: default 0"),
    Row("solref", "time constant of a contact", _two('solref="0.05 1"', ""), _PLAIN, "geom.leftball.time_constant", "s",
         0.05, "XML reference, geom/solref"),
    Row("solref-default", "time constant where none is given", _PLAIN, "", "geom.leftball.time_constant", "s", 0.02,
         "XML reference, geom/solref: default 0.02 1"),
    Row("solmix", "mixing weight of a geom", _two('solmix="3"', ""), _PLAIN, "geom.leftball.solmix", "1", 3.0,
         "XML reference, geom/solmix"),
)  # fmt: skip
