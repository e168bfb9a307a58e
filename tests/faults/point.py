"""Define a single trial and its result, and print the table of all results."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """One trial of a series: its scene, the number of the fault in it, and the way of the fault."""

    series: str
    scene: str
    number: int
    how: str

    def __str__(self) -> str:
        """Return the command that repeats this trial alone."""
        return f"python -m tests.faults {self.series} --command {self.scene} --call {self.number} --how {self.how}"


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of a trial: the sentences that say what was wrong; none where all was well."""

    point: Point
    wrong: tuple[str, ...]
    what: str = ""
    """What went wrong on purpose, in words."""

    def as_line(self) -> str:
        """Return the result as one line for a pipe."""
        return json.dumps(asdict(self)) + "\n"


def parse_tried(line: str) -> Tried:
    """Return the result that `as_line` has written as this line."""
    read = json.loads(line)
    return Tried(Point(**read["point"]), tuple(read["wrong"]), read["what"])


def every(points: Sequence[Point], stride: int) -> Sequence[Point]:
    """Return one in `stride` of the points, spread evenly; at least one of each way."""
    ways = dict.fromkeys(point.how for point in points)
    by_way = ([point for point in points if point.how == how] for how in ways)
    return [point for way in by_way for point in way[len(way) // 2 % stride :: stride] or way[:1]]


def table(tried: Sequence[Tried]) -> Iterator[str]:
    """Yield the lines of the table: one for each scene, the sum, and the command that repeats each failure."""
    rows = Counter(
        (result.point.series, result.point.scene, bool(result.wrong)) for result in tried
    )
    yield f"{'series':<10}{'scene':<18}{'tried':>8}{'survived':>10}{'failed':>8}"
    for series, scene in sorted({(result.point.series, result.point.scene) for result in tried}):
        well, failed = rows[series, scene, False], rows[series, scene, True]
        yield f"{series:<10}{scene:<18}{well + failed:>8,}{well:>10,}{failed:>8,}"
    failures = [result for result in tried if result.wrong]
    yield f"{'':<10}{'all':<18}{len(tried):>8,}{len(tried) - len(failures):>10,}{len(failures):>8,}"
    for result in failures:
        yield f"\n{result.point}\n  {result.what}"
        yield from (f"  {sentence}" for sentence in result.wrong)
