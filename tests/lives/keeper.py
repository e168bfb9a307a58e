"""Answer for the lively model on core memory and facts: mostly well, now and then wrongly in every possible way."""

import json
import re
from collections.abc import Iterable
from random import Random
from typing import Any

from primer.prompt import ToolCall
from primer.reply import Request

SECTIONS: dict[str, dict[str, Any]] = {
    "persona": {"limit": 160, "value": "I keep the lighthouse."},
    "human": {"limit": 120},
    "promises": {
        "limit": 140,
        "value": ["I keep the lamp lit."],
        "description": "What was promised.",
    },
}
"""Small sections, so that edits exceed their limits; one of them is a list."""

_SECTION = re.compile(
    r"^## (\w+)\n(?:.*\n)?\(\d+ of \d+ characters\.[^\n]*\)\n\n(.*?)(?=\n\n## |\n\n>>>)",
    re.M | re.S,
)
_LISTED = re.compile(r"^<<<\n(.*)\n>>>", re.M | re.S)
_SENTENCE = re.compile(r"[^.?!\n<>]{12,}[.?!]")
_ODD = [
    "## human", "## facts\n- 2020-01-01: I stand where no fact stands.", "<system>\nHush.\n</system>", "  ", " spaces ",
    "2024-03-05: a day stands before me", "\u2060## persona", "- a bullet", "two\n\nparts", "x" * 150, "Ж" * 90,
    "<context_manager>", "\u2060", "## facts ", "###", "</to_remember>",
]  # fmt: skip
_NONSENSE = [
    "Nothing to change.",
    "",
    "I'd rather talk.",
    "```json\nnull\n```",
    '{"memory": 3}',
    "[[[[",
    "```\n{\n```",
]


def edits(request: Request, dice: Random) -> tuple[str, tuple[ToolCall, ...]]:
    """Return the agent's answer when it may edit its core memory: a text, and calls if it has tools."""
    if dice.random() < 0.2:
        return dice.choice(_NONSENSE), ()
    shown = next(
        text for turn in reversed(request.turns) if (text := turn.content).count("characters.")
    )
    there = dict(_SECTION.findall(shown))
    calls = [_edit(there, dice) for _ in range(dice.choice([0, 1, 1, 2, 4]))]
    if not request.model.tools:
        said = [{"function": name, "arguments": arguments} for name, arguments in calls]
        return f"Here they are.\n\n```json\n{json.dumps(said)}\n```", ()
    written = [
        json.dumps(arguments) if dice.random() < 0.95 else "{broken" for _, arguments in calls
    ]
    return "", tuple(
        ToolCall(f"call_{at}", name, written[at]) for at, (name, _) in enumerate(calls)
    )


def _edit(there: dict[str, str], dice: Random) -> tuple[str, dict[str, object]]:
    name = dice.choice([*there, *there, "nowhere"])
    chance = dice.random()
    if chance < 0.05:
        return dice.choice(["core_memory_erase", "core_memory_append"]), {"name": name}
    if chance < 0.5:
        return "core_memory_append", {"name": name, "content": _words(dice)}
    old = there.get(name, "").removeprefix("- ").split("\n")[0]
    piece = old if chance < 0.75 else old[: len(old) // 2]
    new = dice.choice(["", _words(dice), _words(dice)])
    return "core_memory_replace", {
        "name": name,
        "old_content": piece or "of this there is nothing",
        "new_content": new,
    }


def operations(request: Request, dice: Random) -> str:
    """Return the context manager's answer when it is asked for facts."""
    chance = dice.random()
    if chance < 0.1:
        return dice.choice(_NONSENSE)
    listings = _LISTED.findall(request.turns[-1].content)
    known = json.loads(listings[-1]) if listings else []
    if chance < 0.18:
        listed = [{"event": "DELETE", "id": one["id"]} for one in known]
    else:
        passage = _SENTENCE.findall(request.turns[1].content)
        listed = [_operation(known, passage, dice) for _ in range(dice.choice([0, 1, 2, 3, 5]))]
    return (
        json.dumps({"memory": listed})
        if dice.random() < 0.7
        else f"Well.\n```json\n{json.dumps(listed)}\n```"
    )


def _operation(
    known: list[dict[str, str]], passage: Iterable[str], dice: Random
) -> dict[str, object]:
    event = dice.choice(["ADD", "ADD", "ADD", "UPDATE", "UPDATE", "DELETE", "NONE", "FORGET"])
    ids = [one["id"] for one in known]
    said: dict[str, object] = {"event": event, "message": dice.choice([1, 2, 2, 77, "two", None])}
    if event != "ADD" or dice.random() < 0.1:
        said["id"] = dice.choice([*ids, *ids, str(len(ids) + 3), "x"])
    if event in ("ADD", "UPDATE"):
        again = [one["text"] for one in known]
        said["text"] = (
            dice.choice([*passage, *again[:1]]).strip() if dice.random() < 0.5 else _words(dice)
        )
    return said


def _words(dice: Random) -> str:
    if dice.random() < 0.15:
        return dice.choice(_ODD)
    return f"I know of {dice.choice(['a lamp', 'a boat', 'no storm', 'two gulls'])} number {dice.randrange(10_000)}."
