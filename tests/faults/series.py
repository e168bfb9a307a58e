"""Carry out series of trials in forked workers, each with a lab of its own, and collect the results."""

import os
import shutil
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from time import monotonic

from tests.faults.disks import DISKS
from tests.faults.errors import ERRORS
from tests.faults.kills import KILLS
from tests.faults.load import HOUR, LOAD
from tests.faults.point import Point, Tried, every, parse_tried
from tests.faults.power import POWER
from tests.faults.prepared import Impossible, Prepared, Series, prepare
from tests.faults.rot import ROTTING
from tests.faults.scenes import SCENES
from tests.faults.trial import Lab

_TELL_SECONDS = 30.0


SERIES = {series.name: series for series in (KILLS, ERRORS, DISKS, POWER, ROTTING, LOAD, HOUR)}


@dataclass(frozen=True, slots=True)
class Choice:
    """Chooses trials of a series: in these scenes, one in `stride`, or those of one number, in one way or all."""

    series: str
    scenes: tuple[str, ...]
    stride: int = 1
    number: int | None = None
    how: str | None = None

    def of(self, points: Sequence[Point]) -> Sequence[Point]:
        """Return those of the points that are chosen."""
        chosen = [
            point
            for point in points
            if self.number in (None, point.number) and self.how in (None, point.how)
        ]
        return every(chosen, self.stride)


def carry_out(choices: Sequence[Choice], labs: Sequence[Lab]) -> Iterator[Tried]:
    """Carry out all chosen trials, in as many processes as there are labs; yield the results."""
    workers = [_worker(choices, lab, number, len(labs)) for number, lab in enumerate(labs)]
    yield from map(parse_tried, _lines([pipe for _, pipe in workers]))
    for process, _ in workers:
        _, status = os.waitpid(process, 0)
        if status:
            raise ChildProcessError(
                f"a worker ended with {os.waitstatus_to_exitcode(status)}, its trials unfinished"
            )


def _lines(pipes: Sequence[int]) -> Iterator[str]:
    """Yield the lines of all pipes as they come: a pipe that is not read fills, and its worker waits."""
    lines: SimpleQueue[str | None] = SimpleQueue()

    def read(pipe: int) -> None:
        with os.fdopen(pipe) as file:
            for line in file:
                lines.put(line)
        lines.put(None)

    for pipe in pipes:
        Thread(target=read, args=(pipe,), daemon=True).start()
    ended = 0
    while ended < len(pipes):
        line = lines.get()
        if line is None:
            ended += 1
        else:
            yield line


def _worker(choices: Sequence[Choice], lab: Lab, number: int, of: int) -> tuple[int, int]:
    """Fork a process that carries out its share; return its process id, and the pipe with its results."""
    reading, writing = os.pipe()
    if process := os.fork():
        os.close(writing)
        return process, reading
    code = 1
    try:
        os.close(reading)
        with os.fdopen(writing, "w", buffering=1) as lines:
            for result in _share(choices, lab, number, of):
                lines.write(result.as_line())
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _share(choices: Sequence[Choice], lab: Lab, number: int, of: int) -> Iterator[Tried]:
    told = monotonic()
    for scene in dict.fromkeys(scene for choice in choices for scene in choice.scenes):
        prepared = prepare(lab, SCENES[scene])
        for choice in (choice for choice in choices if scene in choice.scenes):
            chosen = choice.of(list(SERIES[choice.series].points(prepared)))[number::of]
            for at, result in enumerate(_results(prepared, chosen), 1):
                yield result
                if result.wrong or monotonic() - told > _TELL_SECONDS:
                    told = monotonic()
                    sys.stderr.write(
                        f"{choice.series} {scene}: {at} of {len(chosen)}{_failure(result)}\n"
                    )
        shutil.rmtree(prepared.base)


def _results(prepared: Prepared, points: Sequence[Point]) -> Iterator[Tried]:
    what = {call.number: str(call) for call in prepared.calls}
    for point in points:
        try:
            wrong = tuple(_attempt(SERIES[point.series], prepared, point))
        except Impossible:
            continue
        yield Tried(point, wrong, what.get(point.number, ""))


def _failure(result: Tried) -> str:
    if not result.wrong:
        return ""
    return (
        f": FAILED {result.point.number} {result.point.how} {result.what}: {result.wrong[0][:200]}"
    )


def _attempt(series: Series, prepared: Prepared, point: Point) -> Iterator[str]:
    try:
        yield from series.attempt(prepared, point)
    except Impossible:
        raise
    except Exception as fault:  # a trial that raises is a failure, and the next one goes on
        yield f"the trial itself broke: {type(fault).__name__}: {fault} {traceback.format_exc()[-600:]}"


def labs(root: Path, workers: int) -> list[Lab]:
    """Return a lab for each worker; their names are equally long, so that all make the same calls."""
    return [Lab(root / f"worker{number}") for number in range(workers)]
