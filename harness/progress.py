"""What is seen while runs go on: a live line in a terminal, plain lines everywhere else."""

from __future__ import annotations

import sys
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from .asked import changed, engine_word
from .job import Job
from .record import Record

_MARKS = {"ok": "ok", "unsupported": "unsupported", "diverged": "DIVERGED", "failed": "FAILED", "timeout": "TIMEOUT"}


def describe(job: Job) -> str:
    """A job in a few words: everything in which it differs from the defaults."""
    words = [job.experiment, engine_word(job), job.settings, f"dt={job.dt * 1e3:g}ms"]
    words += [f"{name}={short(value)}" for name, value in (*changed(job).items(), *job.overrides.items())]
    return " ".join([*words, f"r{job.repeat}"])


def short(value: object) -> str:
    """A value in a few letters, without spaces."""
    return f"{value:g}" if isinstance(value, float) else str(value).replace(" ", "")


class PlainProgress:
    """One line for every run that ends, with its place in the sweep, elapsed time and the time still to go."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.total = self.done = self.left = 0
        self.start_time = monotonic()

    def start(self, total: int, cached: int) -> None:
        """Say how much there is to do."""
        self.total, self.done, self.left = total, cached, total - cached
        self.start_time = monotonic()
        if not self.quiet:
            kept = f", {cached} of them finished before" if cached else ""
            self.say(f"{total} run{'s' if total != 1 else ''}{kept}")

    def began(self, job: Job) -> None:
        """A run that starts is not worth a line of its own."""

    def ended(self, record: Record, wall: float) -> None:
        """The status line of a run."""
        self.done += 1
        if self.quiet and record.status == "ok":
            return
        elapsed = monotonic() - self.start_time
        fresh = self.done - (self.total - self.left)
        to_go = elapsed / fresh * (self.total - self.done) if fresh else 0.0
        rtf = sorted(record.timing.real_time_factors)
        speed = f" rtf {rtf[len(rtf) // 2]:.3g}" if rtf else ""
        reason = f": {record.reason}" if record.reason else ""
        self.say(
            f"[{self.done}/{self.total}] {_MARKS[record.status]} {describe(record.job)}{speed} "
            f"({wall:.1f} s, elapsed {clock(elapsed)}, ETA {clock(to_go)}){reason}"
        )

    def say(self, line: str) -> None:
        """Print a line."""
        print(line, flush=True)

    def stop(self) -> None:
        """Nothing is left to clear."""


class LiveProgress(PlainProgress):
    """The same lines above a live bar that shows what runs now."""

    def __init__(self) -> None:
        super().__init__()
        self.console = Console(highlight=False)
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("ETA {task.fields[eta]}"),
            console=self.console,
            transient=True,
        )
        self.task: TaskID | None = None
        self.running: list[str] = []

    def start(self, total: int, cached: int) -> None:
        """Show the bar."""
        super().start(total, cached)
        self.task = self.bar.add_task("starting", total=total, completed=cached, eta="?")
        self.bar.start()

    def began(self, job: Job) -> None:
        """Show what runs."""
        self.running.append(describe(job))
        self._update()

    def ended(self, record: Record, wall: float) -> None:
        """The status line, and the bar moves on."""
        if describe(record.job) in self.running:
            self.running.remove(describe(record.job))
        super().ended(record, wall)
        self._update()

    def _update(self) -> None:
        fresh = self.done - (self.total - self.left)
        elapsed = monotonic() - self.start_time
        eta = clock(elapsed / fresh * (self.total - self.done)) if fresh else "?"
        if self.task is not None:
            text = " | ".join(self.running)[-60:] or "done"
            self.bar.update(self.task, completed=self.done, description=text, eta=eta)

    def say(self, line: str) -> None:
        """Print a line above the bar."""
        self.console.print(line, markup=False, soft_wrap=True)

    def stop(self) -> None:
        """Take the bar away."""
        self.bar.stop()


def progress_for(*, quiet: bool) -> PlainProgress:
    """Live in a terminal, plain elsewhere and with -q."""
    return PlainProgress(quiet=quiet) if quiet or not sys.stdout.isatty() else LiveProgress()


def clock(seconds: float) -> str:
    """Seconds as m:ss or h:mm:ss."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
