"""Prepare a scene for trials: build its folders, and see what becomes of them when nothing goes wrong."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.faults import oracle
from tests.faults.oracle import Unharmed
from tests.faults.point import Point
from tests.faults.scenes import Scene
from tests.faults.shim import CHANGES, Fault, Kind
from tests.faults.trial import Lab, TrialEnd


class Impossible(Exception):
    """Raised where nothing can go wrong at a point, so that it is not tried."""


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """A system call that changed something, as the shim logged it; `data` was written at `offset`."""

    number: int
    name: str
    path: str
    other: str
    offset: int
    data: bytes

    def __str__(self) -> str:
        return f"call {self.number}, {self.name} {Path(self.path).name} {Path(self.other).name}".strip()


@dataclass(frozen=True)
class Prepared:
    """A scene in a lab; `base` is a copy of its folders before the command."""

    lab: Lab
    scene: Scene
    base: Path
    unharmed: Unharmed
    calls: tuple[LoggedCall, ...]
    """The calls of an undisturbed run that change something."""

    def reset(self) -> None:
        """Restore the folders as they were before the command."""
        shutil.rmtree(self.lab.home, ignore_errors=True)
        shutil.copytree(self.base, self.lab.home, symlinks=True)

    def attempt(self, fault: Fault) -> TrialEnd:
        """Run the command with this fault, in the folders as they were."""
        self.reset()
        return self.lab.attempt(self.scene.work(self.lab), fault)

    def goes_on(
        self, asked_before: tuple[str, ...], *, is_inbox_new: bool = False
    ) -> Iterator[str]:
        """Check what a fault has left, and do what a person does after it; yield all that is wrong."""
        yield from oracle.after_the_fault(self.lab.home, self.unharmed)
        kept_before = oracle.replies(self.lab.home)
        in_place = oracle.updated(self.lab.home).values()
        again = self.lab.attempt(self.scene.again(self.lab))
        if again.code:
            yield f"the next command ended with {again.code}: {(again.out + again.err)[-300:]}"
        yield from oracle.in_the_end(
            self.lab.home, self.unharmed, in_place, is_inbox_new=is_inbox_new
        )
        if self.scene.does_pay:
            yield from oracle.paid_twice(asked_before, kept_before, again.asked)

    def count(self, kinds: Kind) -> int:
        """Return how many calls of these kinds the undisturbed command makes."""
        return self.attempt(Fault(kinds=kinds)).calls

    @cached_property
    def last_call(self) -> int:
        """Return the number of the last call that changes something."""
        return self.count(CHANGES)


@dataclass(frozen=True, slots=True)
class Series:
    """One kind of trials: its scenes, all its points in a scene, and how one of them is tried.

    `attempt` yields all that is wrong; `why_not` returns why no trial can be made here, or "".
    """

    name: str
    scenes: tuple[str, ...]
    points: Callable[[Prepared], Iterator[Point]]
    attempt: Callable[[Prepared, Point], Iterator[str]]
    why_not: Callable[[], str] = str


def prepare(lab: Lab, scene: Scene) -> Prepared:
    """Build the scene, and record what its command does when nothing goes wrong."""
    lab.root.mkdir(parents=True, exist_ok=True)
    base = lab.root / scene.name
    scene.build(lab)
    shutil.rmtree(base, ignore_errors=True)
    shutil.copytree(lab.home, base, symlinks=True)
    before, texts = oracle.updated(lab.home), oracle.raw_texts(lab.home)
    end = lab.attempt(scene.work(lab), logged=True)
    if end.code:
        raise RuntimeError(f"{scene.name} ended with {end.code}: {end.out}{end.err}")
    after = Unharmed(
        before, oracle.updated(lab.home), oracle.kept(lab.home), texts, end.asked, end.asked_at
    )
    return Prepared(lab, scene, base, after, tuple(_calls(lab.log.read_bytes())))


def _calls(log: bytes) -> Iterator[LoggedCall]:
    at = 0
    while at < len(log):
        end = log.index(b"\n", at)
        number, name, path, other, offset, size = (
            log[at:end].decode(errors="surrogateescape").split("\t")
        )
        at = end + 1 + int(size)
        yield LoggedCall(int(number), name, path, other, int(offset), log[end + 1 : at])
