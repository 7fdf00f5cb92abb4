"""A robot file without its shapes, what goes with them, and the links whose masses are not known then."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

ASSETS = ("mesh", "hfield", "skin", "texture", "material", "model")
SHAPED = ("mesh", "gmsh", "hfield", "sdf")
MADE = ("skin", "flexcomp", "composite")  # of which each may need a file, and has bodies of its own
INSIDE = ("frame", "replicate")  # what stands in them belongs to the body around them
UNKNOWN = {"pos": "0 0 0", "mass": "1", "diaginertia": "1 1 1"}  # so that the rest of the file can be read
GROUPS = (0.0, 5.0)  # of geoms that give mass

Attributes = Mapping[str, str]


@dataclass(slots=True)
class Stripped:
    """What went with the shapes of an MJCF.

    Attributes:
        unknown: bodies whose mass came from a shape that is gone: they have 1 kg and 1 kg m^2 now.
        along: what else was taken out, in words.
    """

    unknown: list[str] = field(default_factory=list)
    along: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Lost:
    """The geoms taken out: of each body, with their attributes and what their default classes give; and names."""

    bodies: list[tuple[Element, list[Attributes]]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # as patterns of the names of all copies
    made: list[Element] = field(default_factory=list)


def strip_urdf(root: Element) -> None:
    """Take all shapes out; masses stand beside them in a URDF."""
    for link in root.iter("link"):
        for element in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(element)


def strip_mjcf(root: Element) -> Stripped:
    """Take out what needs a file: meshes, height fields, and what is made of them; other shapes carry mass."""
    for asset in root.findall("asset"):
        _remove(asset, lambda e: e.tag in ASSETS)
    defaults: dict[str, Attributes] = {}
    for top in root.findall("default"):
        _inherit(top, {}, defaults)
    lost, done = _Lost(), Stripped()
    for world in root.findall("worldbody"):
        _visit(world, world, "main", "", defaults, lost)
    massless = [body for body, geoms in lost.bodies if _give_mass(root, body, geoms)]
    for number, body in enumerate(body for body in root.iter("body") if body in massless):
        body.set("name", body.get("name") or f"body without mesh {number}")
        for parent, inertial in list(_own(body, "inertial")):
            parent.remove(inertial)
        body.insert(0, Element("inertial", UNKNOWN))
        done.unknown.append(body.get("name", ""))
    for element in root.iter():
        element.attrib.pop("material", None)
    for deformable in root.findall("deformable"):
        lost.made += _remove(deformable, lambda e: e.tag == "skin" and _needs_file(e))
    gone = [*lost.made, *_referring(root, lost)]
    done.along = [" ".join(filter(None, (element.tag, element.get("name")))) for element in gone]
    return done


def links_unknown(root: Element, unknown: Sequence[str], links: Sequence[str]) -> tuple[str, ...]:
    """Which of the compiled `links` are, or have a mass that depends on, the bodies `unknown` of the stripped file."""
    if not unknown or scaled(root):
        return tuple(links) if unknown else ()
    patterns = [
        re.escape(body.get("name", "")) + copied
        for world in root.findall("worldbody")
        for body, copied in _bodies(world, "")
        if body.get("name") in unknown
    ]
    return tuple(link for link in links if _matches(link, patterns))


def scaled(root: Element) -> bool:
    """Whether the compiler scales all masses to a total, so that each depends on every other."""
    return _number(_compiler(root), "settotalmass", -1.0) > 0


def _visit(
    parent: Element, body: Element, applied: str, copied: str, defaults: Mapping[str, Attributes], lost: _Lost
) -> None:
    """Take out what needs a file; `applied` is the default class, `copied` the pattern of what copies add to names."""
    geoms: list[Attributes] = []
    for child in list(parent):
        inner = child.get("childclass") or applied
        if child.tag == "body":
            _visit(child, child, inner, copied, defaults, lost)
        elif child.tag in INSIDE:
            _visit(child, body, inner, _copied(child, copied), defaults, lost)
        elif child.tag in MADE and _needs_file(child):
            parent.remove(child)
            lost.made.append(child)
        elif child.tag == "geom":
            given = {**defaults.get(child.get("class") or applied, {}), **child.attrib}
            if given.get("type") in SHAPED or given.get("mesh") or given.get("hfield"):
                parent.remove(child)
                geoms.append(given)
                lost.names += [re.escape(child.get("name", "")) + f"({copied})?"] if child.get("name") else []
    if geoms:
        lost.bodies.append((body, geoms))


def _inherit(default: Element, above: Attributes, found: dict[str, Attributes]) -> None:
    """Collect what each default class gives a geom, that of the classes around it and of its own earlier parts too."""
    name = default.get("class") or "main"
    own = {**above, **found.get(name, {})}
    for geom in default.findall("geom"):
        own |= geom.attrib
    found[name] = own
    for inner in default.findall("default"):
        _inherit(inner, own, found)


def _give_mass(root: Element, body: Element, geoms: Sequence[Attributes]) -> bool:
    """Whether the mass of a body comes from one of these geoms: a geom without mass gives none, nor an odd group."""
    compiler = _compiler(root)
    infers = compiler.get("inertiafromgeom", "auto")
    if infers == "false" or (infers != "true" and any(True for _ in _own(body, "inertial"))):
        return False
    words = compiler.get("inertiagrouprange", "").split()
    try:
        low, high = (float(word) for word in words) if words else GROUPS
    except ValueError:  # the compiler says so in its own words
        low, high = GROUPS
    heavy = [g for g in geoms if _number(g, "mass" if "mass" in g else "density", 1.0) > 0]
    return any(low <= _number(geom, "group", 0.0) <= high for geom in heavy)


def _referring(root: Element, lost: _Lost) -> Iterator[Element]:
    """Remove what refers to a geom, or to something made, that is gone."""

    def refers(element: Element) -> bool:
        names = [element.get(f"geom{n}", "") for n in ("", "1", "2")]
        names += [element.get(f"{w}name", "") for w in ("obj", "ref") if element.get(f"{w}type") in ("geom", "xgeom")]
        return any(_matches(name, lost.names) for name in names)

    made = {element.get("name") for element in lost.made if element.get("name")}
    for tag, wrong in (
        ("sensor", refers),
        ("contact", lambda e: e.tag == "pair" and refers(e)),
        ("equality", lambda e: e.get("flex") in made),
        ("keyframe", lambda e: any(element.tag != "skin" for element in lost.made)),  # its vectors are too long
    ):
        for group in root.findall(tag):
            yield from _remove(group, wrong)


def _remove(parent: Element, wrong: Callable[[Element], bool]) -> list[Element]:
    found = [element for element in parent if wrong(element)]
    for element in found:
        parent.remove(element)
    return found


def _needs_file(element: Element) -> bool:
    return any(
        e.get("type") in SHAPED or any(e.get(word) for word in ("file", "mesh", "hfield")) for e in element.iter()
    )


def _own(parent: Element, tag: str) -> Iterator[tuple[Element, Element]]:
    """The elements of a body itself, also in its frames, each with the element that it stands in."""
    for child in parent:
        if child.tag in INSIDE:
            yield from _own(child, tag)
        elif child.tag == tag:
            yield parent, child


def _bodies(parent: Element, copied: str) -> Iterator[tuple[Element, str]]:
    """All bodies, each with the pattern of what its copies add to its name."""
    for child in parent:
        if child.tag == "body":
            yield child, copied
        if child.tag == "body" or child.tag in INSIDE:
            yield from _bodies(child, _copied(child, copied))


def _copied(element: Element, outer: str) -> str:
    """`outer` with what a <replicate> adds: a separator and the number of the copy."""
    return re.escape(element.get("sep", "")) + r"\d+" + outer if element.tag == "replicate" else outer


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def _compiler(root: Element) -> Attributes:
    """Settings of the compiler, the later ones over the earlier."""
    return {name: value for compiler in root.iter("compiler") for name, value in compiler.attrib.items()}


def _number(attributes: Attributes, name: str, default: float) -> float:
    try:
        return float(attributes.get(name, default))
    except ValueError:  # the compiler says so in its own words
        return default
