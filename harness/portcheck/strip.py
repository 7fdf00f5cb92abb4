"""A robot file without its shapes, and the links whose masses go with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from xml.etree.ElementTree import Element

ASSETS = ("mesh", "hfield", "skin", "texture", "material", "model")
SHAPED = ("mesh", "hfield", "sdf")
UNKNOWN = {"pos": "0 0 0", "mass": "1", "diaginertia": "1 1 1"}  # so that the rest of the file can be read

Defaults = Mapping[str, Mapping[str, str]]  # class -> what it gives a geom


def strip_urdf(root: Element) -> None:
    """Take all shapes out; masses stand beside them in a URDF."""
    for link in root.iter("link"):
        for element in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(element)


def strip_mjcf(root: Element) -> list[str]:
    """Take meshes and height fields out; other shapes need no file and carry mass.

    Returns:
        Names of the bodies whose mass came from a mesh: it is not known, and they are given 1 kg and 1 kg m^2.
    """
    for asset in root.findall("asset"):
        for element in [e for e in asset if e.tag in ASSETS]:
            asset.remove(element)
    defaults: dict[str, dict[str, str]] = {}
    for top in root.findall("default"):
        _inherit(top, {}, defaults)
    always = any(compiler.get("inertiafromgeom") == "true" for compiler in root.iter("compiler"))
    found = [body for body, gone in _removed(root, defaults) if _gives_mass(root, body, gone, always)]
    lost = [body for body in root.iter("body") if body in found]
    if always:
        _from_inertial(root, lost)
    for number, body in enumerate(lost):
        body.set("name", body.get("name") or f"body without mesh {number}")
        body.insert(0, Element("inertial", UNKNOWN))
    for element in root.iter():
        element.attrib.pop("material", None)
    names = {geom.get("name") for geom in root.iter("geom")}
    for contact in root.findall("contact"):
        for pair in [p for p in contact.findall("pair") if not {p.get("geom1"), p.get("geom2")} <= names]:
            contact.remove(pair)
    return [body.get("name", "") for body in lost]


def _inherit(default: Element, above: Mapping[str, str], found: dict[str, dict[str, str]]) -> None:
    """Collect what each default class gives a geom, that of the classes around it included."""
    own = dict(above)
    for geom in default.findall("geom"):
        own |= geom.attrib
    found[default.get("class") or "main"] = own
    for inner in default.findall("default"):
        _inherit(inner, own, found)


def _removed(root: Element, defaults: Defaults) -> Iterator[tuple[Element, list[dict[str, str]]]]:
    """Remove shapes with files; each body that lost some, with their attributes."""
    for world in root.findall("worldbody"):
        yield from _visited(world, world, "main", defaults, [])


def _visited(
    parent: Element, body: Element, applied: str, defaults: Defaults, lost: list[dict[str, str]]
) -> Iterator[tuple[Element, list[dict[str, str]]]]:
    for child in list(parent):
        inner = child.get("childclass") or applied
        if child.tag == "body":
            gone: list[dict[str, str]] = []
            yield from _visited(child, child, inner, defaults, gone)
            if gone:
                yield child, gone
        elif child.tag in ("frame", "replicate"):
            yield from _visited(child, body, inner, defaults, lost)
        elif child.tag in ("skin", "deformable", "flexcomp", "composite"):
            parent.remove(child)
        elif child.tag == "geom":
            given = {**defaults.get(child.get("class") or applied, {}), **child.attrib}
            if given.get("type") in SHAPED or child.get("mesh") or child.get("hfield"):
                parent.remove(child)
                lost.append(given)


def _gives_mass(root: Element, body: Element, geoms: list[dict[str, str]], always: bool) -> bool:
    """Whether the mass of a body comes from one of these geoms."""
    if body.find("inertial") is not None and not always:
        return False
    ranges = [c.get("inertiagrouprange", "").split() for c in root.iter("compiler") if c.get("inertiagrouprange")]
    low, high = (float(x) for x in (ranges[0] if ranges else ("0", "5")))
    heavy = [g for g in geoms if min(_number(g, "mass", 1.0), _number(g, "density", 1.0)) > 0]
    return any(low <= _number(geom, "group", 0.0) <= high for geom in heavy)


def _number(geom: Mapping[str, str], attribute: str, default: float) -> float:
    try:
        return float(geom.get(attribute, default))
    except ValueError:  # the compiler says so in its own words
        return default


def _from_inertial(root: Element, lost: Sequence[Element]) -> None:
    """Let inertial frames count where the compiler passes over them: those of bodies with shapes go, but for `lost`."""
    for compiler in root.iter("compiler"):
        compiler.attrib.pop("inertiafromgeom", None)
    for body in root.iter("body"):
        if body in lost or body.find("geom") is not None:
            for inertial in body.findall("inertial"):
                body.remove(inertial)
