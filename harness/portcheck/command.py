"""`simparity check` and `simparity explain`."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import UnknownName, UsageError
from ..job import PACKAGE
from .accept import stale
from .check import check
from .config import Config, read_config
from .finding import SEVERITIES, Report
from .junit import junit
from .markdown import markdown
from .processes import Options
from .sarif import sarif
from .terminal import explain, show_report

DESCRIPTION = """\
Does a robot file (MJCF, URDF or xacro) mean the same in an engine? Example:
  simparity check robot.xml --engines mujoco --html check.html --junit check.xml
Findings are grouped in the terminal and in Markdown; --html has every element, --sarif and --junit every finding.
Of several robots the first writes FILE (check.sarif), the others FILE with their number (check-1.sarif, check-2.sarif).
Exit codes: 0 clean, 1 findings at or above --fail-on, 2 a request or file that cannot be used, 3 incomplete (an engine
crashed, took too long, or nothing could be compared).
simparity.toml, or [tool.simparity] in pyproject.toml, holds a project's engines, tolerances and accepted deviations."""
REFERENCES = ("pinocchio", "mujoco")


def add_commands(commands: Any) -> None:
    """Add both commands to the command line."""
    one = commands.add_parser(
        "check",
        help="check that a robot file means the same in each engine",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument("robot", nargs="+", type=Path, help="robot files, or names of ours (fr3, fr3_hand, mobile_duo)")
    one.add_argument(
        "--engines",
        default="",
        metavar="A,B,...",
        help="the first is what CT holds the others against; without it those of the configuration, or mujoco",
    )
    one.add_argument(
        "--reference", default="", metavar="NAME", help="who computes poses and dynamics: pinocchio (default) or mujoco"
    )
    one.add_argument(
        "--only", default="", metavar="A,B,...", help="items or groups, as `simparity explain` lists them: RB,DF-SET"
    )
    one.add_argument("--static", action="store_true", help="leave out the items that need simulation (CT, NS, RP, MS)")
    one.add_argument(
        "--fail-on", default="", metavar="SEVERITY", help="least severity that fails: error (default), warning or note"
    )
    one.add_argument(
        "--package-path", action="append", default=[], metavar="FOLDER", help="where package:// is looked for"
    )
    one.add_argument("--without-geometry", action="store_true", help="leave every mesh out, and all shapes of a URDF")
    one.add_argument(
        "--bandwidth",
        type=float,
        metavar="W",
        help="of the torque law of CT [rad/s]; without it the robot's own, at most 60",
    )
    one.add_argument(
        "--timeout", type=float, default=600.0, metavar="S", help="wall time of one engine's static items [s] (600)"
    )
    one.add_argument("--notes", action="store_true", help="print notes as well")
    for name, what in (("html", "page"), ("md", "Markdown"), ("junit", "JUnit XML"), ("sarif", "SARIF")):
        one.add_argument(f"--{name}", type=Path, metavar="FILE", help=f"write the {what}")
    one.set_defaults(act=_check)
    other = commands.add_parser("explain", help="list the items of the checklist, or explain one")
    other.add_argument("item", nargs="?", help="id of an item, or a group")
    other.set_defaults(act=_explain)


def _check(options: argparse.Namespace) -> int:
    config = read_config(Path.cwd())
    fail_on = _word("severity", options.fail_on or config.fail_on or "error", SEVERITIES)
    engines = [e.strip() for e in options.engines.split(",") if e.strip()] or list(config.engines) or ["mujoco"]
    asked = _options(options, config)
    codes = []
    reports: list[Report] = []
    several = len(options.robot) > 1
    for n, given in enumerate(options.robot):
        report = check(_robot(given), engines, asked, config.accepted, _tell)
        reports.append(report)
        if several:  # only the last knows what occurred in none
            last = len(reports) == len(options.robot)
            report = replace(report, stale=stale(config.accepted, reports) if last else ())
        show_report(report, fail_on, notes=options.notes, named=several)
        _write(report, options, fail_on, n)
        codes.append(report.exit_code(fail_on))
    return 1 if 1 in codes else max(codes)


def _robot(given: Path) -> Path:
    """One of our robots by its bare name, else the path as it is.

    Raises:
        UsageError: neither a file nor a robot of ours.
    """
    if given.suffix or given.exists() or given.name != str(given):
        return given
    assets = PACKAGE / "experiments" / "assets"
    ours = {path.stem: path for path in sorted(assets.glob("*.xml"))}
    if given.name not in ours:
        raise UsageError(
            f"robot {given.name!r} is neither a file nor one of ours ({', '.join(ours)}); give the path of an MJCF "
            "(.xml), URDF (.urdf) or xacro file"
        )
    return ours[given.name]


def _options(options: argparse.Namespace, config: Config) -> Options:
    return Options(
        only=tuple(word for word in options.only.split(",") if word.strip()),
        reference=_word("reference", options.reference or config.reference or "pinocchio", REFERENCES),
        package_path=(*options.package_path, *config.package_path),
        without_geometry=options.without_geometry,
        rtol=config.rtol,
        tolerances=dict(config.tolerances),
        timeout=options.timeout,
        dynamic=not options.static,
        bandwidth=_positive(options.bandwidth if options.bandwidth is not None else config.bandwidth),
    )


def _write(report: Report, options: argparse.Namespace, fail_on: Any, number: int) -> None:
    """Write the files asked for; those of the second and later robots get its number in front of their ending."""
    for name in ("html", "md", "junit", "sarif"):
        path: Path | None = getattr(options, name)
        if path is None:
            continue
        if number:
            path = path.with_name(f"{path.name.partition('.')[0]}-{number}.{path.name.partition('.')[2]}")
        if name == "html":
            from .page import page

            text = page(report)
        elif name == "md":
            text = markdown(report)
        else:
            text = junit(report, fail_on) if name == "junit" else sarif(report, Path.cwd())
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error}") from error


def _word(kind: str, word: str, known: tuple[str, ...]) -> Any:
    if word not in known:
        raise UnknownName(kind, word, known)
    return word


def _positive(bandwidth: Any) -> float | None:
    if bandwidth is not None and not (isinstance(bandwidth, (int, float)) and 0 < bandwidth < float("inf")):
        raise UsageError(f"the bandwidth of the torque law is {bandwidth!r}; give a positive number of rad/s")
    return None if bandwidth is None else float(bandwidth)


def _tell(words: str) -> None:
    if sys.stderr.isatty():
        print(f"checking in {words} ...", file=sys.stderr)


def _explain(options: argparse.Namespace) -> int:
    explain(options.item)
    return 0
