"""A robot by SAPIEN's own URDF loader, as a user of SAPIEN gets it; the settings of links and joints come on top.

What it makes of the file is read back into the same rows as the articulation that is built from the source. Visual
shapes are taken out first: the loader makes render materials of them, for which it needs a rendering device.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from sapien.wrapper.urdf_loader import URDFLoader

from ...harness.description import format_of, xml_text
from ...harness.errors import Unsupported
from ...harness.robot_model import RobotModel
from ...harness.scene import Robot
from .shapes import to_pose

# what the loader, its parser and PhysX raise for a file that they do not take: "invalid moment of inertia" and the like
_REFUSALS = (AssertionError, AttributeError, KeyError, ValueError, TypeError, RuntimeError, OSError)


def load_urdf(world: Any, robot: Robot, source: RobotModel) -> tuple[Any, list[Any]]:
    """Load the robot into the `sapien.Scene` `world`; returns its articulation, and its link for each of the source.

    Raises:
        Unsupported: an MJCF, a robot that touches things, or a file that the loader refuses.
    """
    if format_of(robot.description) != "urdf":
        raise Unsupported("SAPIEN's loader reads URDF only; use option.importer=source for an MJCF")
    if robot.contacts:
        raise Unsupported("a robot from SAPIEN's URDF loader takes no part in contacts; use option.importer=source")
    root = ElementTree.fromstring(xml_text(robot.description))
    for element in root.iter("link"):
        for shape in [*element.findall("visual"), *element.findall("collision")]:
            element.remove(shape)
    loader = URDFLoader()
    loader.set_scene(world)
    loader.fix_root_link = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(ElementTree.tostring(root, encoding="unicode"))
        try:
            builder = loader.load_file_as_articulation_builder(str(path))
            builder.set_initial_pose(to_pose(robot.pose))
            articulation = builder.build()
        except Exception as error:
            if type(error) is not Exception and not isinstance(error, _REFUSALS):
                raise
            raise Unsupported(f"SAPIEN's URDF loader refuses robot {robot.name!r}: {error}") from error
    found = {link.name: link for link in articulation.links}
    for link in source.links:
        if link.name not in found:
            raise Unsupported(
                f"SAPIEN's URDF loader made no link {link.name!r} of robot {robot.name!r}; "
                f"its links: {', '.join(found)}"
            )
    return articulation, [found[link.name] for link in source.links]
