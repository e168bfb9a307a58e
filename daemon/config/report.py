"""Everything that is wrong in a memproc.toml, as one text: a line of it for each problem, in the file's order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.config.lines import Key, key_lines, line_of
from daemon.config.problems import printable
from daemon.config.writing import BARE

_MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: its key, the other keys that play a part, and what must be."""

    keys: tuple[Key, ...]
    reason: str


def report(problems: Sequence[Problem], text: str, path: Path) -> str:
    """The problems of the file `path`, which holds `text`; no more than a hundred are told."""
    lines = key_lines(text)
    placed = [(_line(problem, lines), problem) for problem in problems]
    placed.sort(key=lambda pair: pair[0] or 0)
    many = "1 problem" if len(placed) == 1 else f"{len(placed)} problems"
    told = [_sentence(line, problem) for line, problem in placed[:_MOST_SHOWN]]
    if len(placed) > _MOST_SHOWN:
        told.append(f"and {len(placed) - _MOST_SHOWN} more")
    return "\n".join([f"{path} has {many}:", *(f"  {one}" for one in told)])


def _line(problem: Problem, lines: Mapping[Key, int]) -> int | None:
    """Where to look: at the first of the problem's settings that is in the file, or else at its table."""
    written = [lines[key] for key in problem.keys if key in lines]
    return written[0] if written else line_of(lines, problem.keys[0])


def _sentence(line: int | None, problem: Problem) -> str:
    place = "" if line is None else f"line {line}: "
    return f"{place}{_dotted(problem.keys[0])}: {problem.reason}"


def _dotted(key: Key) -> str:
    """As people write it: chats.override[1].tail.tokens, models.options."ollama/*"; entries count from 1."""
    dotted = ""
    for part in key:
        if isinstance(part, int):
            dotted += f"[{part + 1}]"
        else:
            dotted += ("." if dotted else "") + (part if _is_short_and_bare(part) else f'"{printable(part)}"')
    return dotted


def _is_short_and_bare(part: str) -> bool:
    return printable(part) == part and bool(BARE.fullmatch(part))
