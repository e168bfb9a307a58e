"""Requests to models, with their keys and without secrets; and how a reply is read and judged.

    read_reply            has it ended by itself, and does it say anything?
    judge                 is it an answer to this question about this passage?
    refuse_repeated       is it one of the memory's earlier answers once more?
    refuse_control_mark   does it hold a mark of a model's own format?
    is_forged             does it hold tags of ours, which are made inert before it is kept?

Whether a quote is verbatim is for rules/conversation/quote to say.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import cached_property, lru_cache
from typing import Any

from primer.finish import BROKEN_OFF, CALLED, ENDED, OUT_OF_ROOM, REFUSALS
from primer.models import Model, is_secret
from primer.prompt import Beginning, Turn, localize_turn
from primer.thinking import Thinking, thinking_switch
from primer.wording import TAGS, keep_inert
from primer.wrappers import unwrap
from rules.checks.checks import CHECKS
from rules.conversation.answer import is_repeated, is_restated, why_foreign
from rules.conversation.memory_title import TitlePair
from rules.extract.control_marks import find_marks, kinds_of_marks
from rules.extract.sentences import ends_whole
from rules.extract.words import UNSEEN, length
from rules.plan.dialogues import answer_room

EMBEDDING = "embedding"
"""The step of a request that asks for no words: how alike are the texts of its turns?"""
TRIAL = "trial"
"""The step of a request that asks only whether the model answers."""
UNKNOWN_REFUSAL = "unknown_refusal"
"""The finish reason of a request that the provider refused for a reason that is not known."""
TOO_SLOW = "too_slow"
"""The finish reason of a request whose answer took longer than the longest time that it may have."""
ASKED_AGAIN = (UNKNOWN_REFUSAL, TOO_SLOW)
"""The finish reasons of requests without an answer, which are asked again if the person wishes it."""
_TRIAL_QUESTION = "This is a test of the connection. Please answer with one word."
_BEGINNINGS = 2
"""Beginnings of requests whose hash is remembered: the questions about a passage follow the same one."""
_ROUTE = frozenset(
    {
        "api_base", "base_url", "api_key", "api_version", "organization", "extra_headers", "headers", "timeout",
        "ssl_verify", "aws_region_name", "aws_profile_name", "vertex_project", "vertex_location",
    }
)  # fmt: skip
"""Options that say how a request gets there and not what is asked: the same question elsewhere is
the same."""

Kind = str
"""The name of a way in which an answer fails: one of `KINDS`."""
FORMS = frozenset(check.name for check in CHECKS)
"""The ways in which an answer has not the form of what was asked."""
MAY_STAY = frozenset(check.name for check in CHECKS if check.may_stay)
"""Those with which an answer is kept where nothing better comes, and marked."""
KINDS = FORMS | {
    "empty",
    "cut off",
    "broken off",
    "refused",
    "too slow",
    "restated",
    "repeated",
    "forged tags",
    "not verbatim",
    "too short",
    "too long",
    "wrong language",
    "tool called",
    "unreadable",
    "control mark",
}
"""The ways in which an answer fails."""

_SENTENCE_WORDS = 4.0
_ALWAYS_SHORT_ENOUGH = 300
_MOST_CHARACTERS = 200_000
"""Of any answer: several times what the largest room holds, thinking included."""

_OUR_TAG = re.compile(rf"<\s*+/?+\s*+\u2060*+(?:{'|'.join(TAGS)})\b[^<>]*>", re.IGNORECASE)


@dataclass(frozen=True)  # without slots, so that it can remember its key
class Request:
    """A request to a model.

    `step` is what is asked for: quote, perspective, analysis, refinement, core, facts, embedding.
    `words` is how long the answer may about be.
    """

    step: str
    model: Model
    turns: tuple[Turn, ...]
    words: int
    room: int = 1
    """The room for the answer as a multiple of the usual: more, once an answer was cut off."""
    thinking: Thinking | None = None
    """What was learned of the model's thinking by the time of sending: no part of the key, so that
    what was answered before is known afterwards."""
    title: TitlePair = ("", "")
    """The title of the memory asked about; its key and turns have the one with days in UTC."""

    @property
    def parameters(self) -> dict[str, object]:
        """Return the parameters sent with the messages, with room and switch for learned thinking."""
        asked, body = self._asked, self._asked.get("extra_body", {})
        if self.thinking is None:
            return asked
        asked["max_tokens"] = self._room + self.thinking.room
        if self.switch and isinstance(body, Mapping):
            asked["extra_body"] = {**self.switch, **body}
        return asked

    @property
    def switch(self) -> Mapping[str, object]:
        """Return the fields that tell a model not to think which was seen to do so unasked."""
        return thinking_switch(self.model, self.thinking.refused) if self.thinking else {}

    @property
    def _asked(self) -> dict[str, object]:
        """Return the parameters that are part of the key.

        Room for four tokens a word bounds an answer's cost.
        """
        asked = {name: value for name, value in self.model.options.items() if not _is_route(name)}
        tools = {"tools": list(self.model.tools)} if self.model.tools else {}
        return {**asked, **tools, "max_tokens": self._room}

    @property
    def _room(self) -> int:
        return answer_room(self.words) * self.room + self.model.thinking_room

    @property
    def route(self) -> dict[str, object]:
        """Return how the request gets there: address, key, time-out. None of these is kept."""
        return {name: value for name, value in self.model.options.items() if _is_route(name)}

    def sent_in(self, zone: tzinfo) -> "Request":
        """Return the request as it is sent: with the person's days.

        Its key stays that of days in UTC, so that no answer is asked for again in another zone.
        """
        return replace(
            self, turns=tuple(localize_turn(turn, zone, self.title) for turn in self.turns)
        )

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Return the turns as LiteLLM takes them."""
        return [turn.message for turn in self.turns]

    @property
    def texts(self) -> tuple[str, ...]:
        """Return all that its model reads, in parts that are counted one by one.

        These are tools, turns, and the calls in them.
        """
        tools = (json.dumps(list(self.model.tools)),) if self.model.tools else ()
        calls = tuple(f"{call.name} {call.arguments}" for turn in self.turns for call in turn.calls)
        return (*tools, *(turn.content for turn in self.turns), *calls)

    @cached_property
    def key(self) -> str:
        """Return the SHA-256 of model, messages and parameters: the same request is never sent twice."""
        name, parameters = (
            json.dumps(part, sort_keys=True) for part in (self.model.name, self._asked)
        )
        # As many turns as other requests begin with, too: never all of them.
        counts = reversed(range(1, len(self.turns)))
        begun = next((count for count in counts if self.turns[count - 1].ends_prefix), 0)
        digest = _hash_begun(name, Beginning(self.turns[:begun])).copy()
        messages = ", ".join(turn.in_json for turn in self.turns[begun:])
        digest.update(f"{messages}], {parameters}]".encode())
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Answered:
    """A complete answer, without thinking and without the white space around it."""

    text: str
    form: str = ""
    """Why it has not the form that was asked for, where nothing better came."""
    ended_by: str = ""
    """Why it ended, where that is not known to be a proper end: its last sentence is whole."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that never becomes part of a memory, and why.

    The reason is a sentence that can be said to the agent.
    """

    kind: Kind
    reason: str
    text: str = ""
    """The words of a repeated answer, which may be kept where nothing better comes."""


_UNUSABLE_ENDS = (
    (
        REFUSALS | {UNKNOWN_REFUSAL},
        Refused("refused", "The model's own safety rules ended the answer."),
    ),
    ({TOO_SLOW}, Refused("too slow", "The answer did not come in its time.")),
    (OUT_OF_ROOM, Refused("cut off", "The answer was cut off before its end.")),
    (
        CALLED,
        Refused(
            "tool called",
            "A tool was called in the place of an answer; nothing is to be edited now.",
        ),
    ),
)
"""Finish reasons after which nothing of an answer is read, and why it is refused then."""


def smallest_request(model: Model, step: str = TRIAL) -> Request:
    """Return a request that says next to nothing: only whether the model answers matters."""
    return Request(step, model, (Turn("user", _TRIAL_QUESTION),), words=5)


@lru_cache(_BEGINNINGS)
def _hash_begun(name: str, turns: Beginning) -> "hashlib._Hash":
    """Begin the hash of a request to a model with these turns; other turns follow them."""
    messages = "".join([f"{turn.in_json}, " for turn in turns])
    return hashlib.sha256(f"[{name}, [{messages}".encode())


def _is_route(name: str) -> bool:
    """Return whether an option says how to get there; secrets do, and are never kept."""
    return name in _ROUTE or is_secret(name)


def read_reply(
    text: str, finish: str, passage: Sequence[str] = (), *, is_prose: bool = True
) -> Answered | Refused:
    """Read a reply: it counts only if it ended by itself and says something.

    `finish` is why the model stopped, in its provider's words or LiteLLM's. Where that is not known,
    prose counts if it ends with a whole sentence, and the caller looks at any other form. What the
    model's own format left around its answer is taken off, thoughts too, but for a quotation of the
    passage. Refusals in plain words are not guessed at.
    """
    if len(text) > _MOST_CHARACTERS:
        return Refused(
            "too long", "The answer is many times as long as its room, so it was not read."
        )
    end = finish.casefold()
    for ends, refused in _UNUSABLE_ENDS:
        if end in ends:
            return refused
    visible = unwrap(text, passage)
    if visible is None:
        return Refused("cut off", "The thinking before the answer never came to an end.")
    if not any(_shows(character) for character in visible):
        return Refused("empty", "The answer is empty.")
    if end in ENDED:
        return Answered(visible)
    reason = finish or "no reason given"
    if end in BROKEN_OFF or (is_prose and not ends_whole(visible)):
        return Refused("broken off", f"The answer did not end by itself ({reason}).")
    return Answered(visible, ended_by=reason)


def is_starved(text: str, finish: str) -> bool:
    """Return whether an answer was cut off for want of room before it said anything."""
    visible = unwrap(text)
    return finish.casefold() in OUT_OF_ROOM and not any(map(_shows, visible or ""))


def judge(
    answer: str, step: str, question: str, passage: Sequence[str], given: str = ""
) -> Refused | None:
    """Return why the answer to this step's question is refused; None if it is not.

    `given` is the text within the question that is to be worked on.

    A quote only has to be more than the question said back. Of the other steps' answers each is at
    least a sentence, at most as long as the passage (300 characters are always short enough), and
    in its language.
    """
    if is_restated(
        _OUR_TAG.sub(" ", answer), _OUR_TAG.sub(" ", question), _OUR_TAG.sub(" ", given)
    ):
        return Refused("restated", "The answer says the question back.")
    if step == "quote":
        return None
    if length(answer) < _SENTENCE_WORDS:
        return Refused("too short", "The answer is shorter than a sentence.")
    if len(answer) > max(_ALWAYS_SHORT_ENOUGH, sum(map(len, passage))):
        return Refused("too long", "The answer is longer than the whole passage.")
    reason = why_foreign(_OUR_TAG.sub(" ", answer), passage)
    return Refused("wrong language", reason) if reason else None


def refuse_repeated(answer: str, earlier: Sequence[str]) -> Refused | None:
    """Return why an answer that says no more than one of the same memory's earlier answers cannot stay.

    None if it can.
    """
    if any(is_repeated(answer, text) for text in earlier):
        return Refused("repeated", "It says the same as an answer that was given before.", answer)
    return None


def refuse_control_mark(answer: str, passage: Sequence[str]) -> Refused | None:
    """Refuse an answer with a mark of a model's own format that the passage does not hold.

    Code is not looked at. The passage is all that may be spoken of.
    """
    marks = find_marks(answer)
    if kinds_of_marks(mark[0] for mark in marks) <= (kinds_of_marks(passage) if marks else set()):
        return None
    return Refused(
        "control mark",
        "A mark of a model's own format is in the answer, as at a turn's end; answer in plain words.",
    )


def is_forged(answer: str) -> bool:
    """Return whether one of our tags is alive in the answer, copied or made up."""
    return keep_inert(answer) != answer


def _shows(character: str) -> bool:
    """Return whether a reader sees a character.

    White space, control and format characters, and marks alone are not seen.
    """
    return unicodedata.category(character)[0] in "LNPS" and character not in UNSEEN
