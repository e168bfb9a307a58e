"""Make requests to models, with cache keys and without secrets; and read and judge the replies.

    read_reply            did it end properly, and does it say anything?
    judge                 is it an answer to this question about this passage?
    refuse_repeated       does it repeat one of the memory's earlier answers?
    refuse_control_mark   does it have a mark of a model's own format?
    is_forged             does it have tags of ours, which are made inert before it is kept?

Whether a quote is verbatim is decided in rules/conversation/quote.
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
"""The step of a request that asks for no words, but how alike the texts of its turns are."""
TRIAL = "trial"
"""The step of a request that asks only whether the model answers."""
UNKNOWN_REFUSAL = "unknown_refusal"
"""The finish reason of a request that the provider refused for an unknown reason."""
TOO_SLOW = "too_slow"
"""The finish reason of a request whose answer took longer than the time limit."""
ASKED_AGAIN = (UNKNOWN_REFUSAL, TOO_SLOW)
"""Finish reasons of requests without an answer, asked again where the person wants it."""
_TRIAL_QUESTION = "This is a test of the connection. Please answer with one word."
_CACHED_BEGINNINGS = 2
"""Beginnings of requests whose hash is cached: a passage's questions all follow the same one."""
_ROUTE = frozenset(
    {
        "api_base", "base_url", "api_key", "api_version", "organization", "extra_headers",
        "headers", "timeout", "ssl_verify", "aws_region_name", "aws_profile_name",
        "vertex_project", "vertex_location",
    }
)  # fmt: skip
"""Options on where a request is sent, not in its key: elsewhere the question is the same."""

Kind = str
"""The name of a way in which an answer fails: one of `KINDS`."""
FORMS = frozenset(check.name for check in CHECKS)
"""The kinds of failure of an answer that does not have the form that was asked for."""
MAY_STAY = frozenset(check.name for check in CHECKS if check.may_stay)
"""The kinds with which an answer is kept, and marked, where no better one comes."""
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
"""The most characters of any answer: several times the largest room, thinking included."""

_OUR_TAG = re.compile(rf"<\s*+/?+\s*+\u2060*+(?:{'|'.join(TAGS)})\b[^<>]*>", re.IGNORECASE)


@dataclass(frozen=True)  # without slots, for its cached key
class Request:
    """A request to a model.

    `step` is what is asked for: quote, perspective, analysis, refinement, core, facts, embedding.
    `words` is about how many words the answer may have.
    """

    step: str
    model: Model
    turns: tuple[Turn, ...]
    words: int
    room: int = 1
    """The room for the answer as a multiple of the usual: more, once an answer was cut off."""
    thinking: Thinking | None = None
    """What was known about the model's thinking when it was sent.

    It is not part of the key, so that earlier answers are still found.
    """
    title: TitlePair = ("", "")
    """Titles of the memory that is asked about; key and turns have the one with days in UTC."""

    @property
    def parameters(self) -> dict[str, object]:
        """Return the parameters to send with the messages.

        They have room for the model's thinking, or fields to turn it off.
        """
        asked = {**self._asked, "max_tokens": self.most_tokens}
        body = asked.get("extra_body", {})
        if self.switch and isinstance(body, Mapping):
            asked["extra_body"] = {**self.switch, **body}
        return asked

    @property
    def most_tokens(self) -> int:
        """Return how many tokens the answer may have, with room for the model's thinking."""
        return self._room + (self.thinking.room if self.thinking else 0)

    @property
    def switch(self) -> Mapping[str, object]:
        """Return the fields that turn off the thinking of a model seen to think unasked."""
        return thinking_switch(self.model, self.thinking.refused) if self.thinking else {}

    @property
    def _asked(self) -> dict[str, object]:
        """Return the parameters that are part of the key."""
        asked = {name: value for name, value in self.model.options.items() if not _is_route(name)}
        tools = {"tools": list(self.model.tools)} if self.model.tools else {}
        return {**asked, **tools, "max_tokens": self._room}

    @property
    def _room(self) -> int:
        return answer_room(self.words) * self.room + self.model.thinking_room

    @property
    def route(self) -> dict[str, object]:
        """Return the options on where the request is sent: address, key, timeout; not stored."""
        return {name: value for name, value in self.model.options.items() if _is_route(name)}

    def sent_in(self, zone: tzinfo) -> "Request":
        """Return the request as it is sent, with dates in the person's time zone.

        Its key must be computed before, with dates in UTC, so that no answer is asked for again in
        another zone.
        """
        return replace(
            self, turns=tuple(localize_turn(turn, zone, self.title) for turn in self.turns)
        )

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Return the turns as LiteLLM expects them."""
        return [turn.message for turn in self.turns]

    @property
    def texts(self) -> tuple[str, ...]:
        """Return all texts that its model reads, counted one by one: tools, turns, their calls."""
        tools = (json.dumps(list(self.model.tools)),) if self.model.tools else ()
        calls = tuple(f"{call.name} {call.arguments}" for turn in self.turns for call in turn.calls)
        return (*tools, *(turn.content for turn in self.turns), *calls)

    @cached_property
    def key(self) -> str:
        """Return the SHA-256 of model, messages and parameters: no request is sent twice."""
        name, parameters = (
            json.dumps(part, sort_keys=True) for part in (self.model.name, self._asked)
        )
        # The turns that other requests may begin with, too; never all of them.
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
    """Why it does not have the form that was asked for, where no better one came."""
    ended_by: str = ""
    """The finish reason, where it may be no proper end; the last sentence is whole then."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that is refused, and why; the reason is a sentence for the agent."""

    kind: Kind
    reason: str
    text: str = ""
    """The words of a repeated answer, which may be kept where no better one comes."""


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
"""Finish reasons of answers that are refused unread, and the refusal of each."""


def smallest_request(model: Model, step: str = TRIAL) -> Request:
    """Return a minimal request, of which only matters whether the model answers."""
    return Request(step, model, (Turn("user", _TRIAL_QUESTION),), words=5)


@lru_cache(_CACHED_BEGINNINGS)
def _hash_begun(name: str, turns: Beginning) -> "hashlib._Hash":
    """Return the unfinished hash of a request to a model that begins with these turns."""
    messages = "".join([f"{turn.in_json}, " for turn in turns])
    return hashlib.sha256(f"[{name}, [{messages}".encode())


def _is_route(name: str) -> bool:
    """Return whether an option says where a request goes, or is a secret; neither is stored."""
    return name in _ROUTE or is_secret(name)


def read_reply(
    text: str, finish: str, passage: Sequence[str] = (), *, is_prose: bool = True
) -> Answered | Refused:
    """Read a reply: it counts only if it ended properly and says something.

    `finish` is why the model stopped, in its provider's words or LiteLLM's. Where that is unknown,
    prose counts if it ends with a whole sentence, and the caller checks any other form. Remains of
    the model's own format around the answer are removed, including thoughts, but not from a
    quotation of the passage. A refusal in plain words is not recognized.
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
    """Return whether an answer ran out of room before it said anything."""
    visible = unwrap(text)
    return finish.casefold() in OUT_OF_ROOM and not any(map(_shows, visible or ""))


def judge(
    answer: str, step: str, question: str, passage: Sequence[str], given: str = ""
) -> Refused | None:
    """Return why the answer to this step's question is refused; None if it is not.

    `given` is the text within the question that is to be worked on.

    A quote must only not restate the question. The answers to other steps must also have the length
    of a sentence, be at most as long as the passage (300 characters are always short enough), and
    be in its language.
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
    """Return a refusal where an answer has the words of an earlier one of its memory; else None."""
    if any(is_repeated(answer, text) for text in earlier):
        return Refused("repeated", "It says the same as an answer that was given before.", answer)
    return None


def refuse_control_mark(answer: str, passage: Sequence[str]) -> Refused | None:
    """Return a refusal where an answer has a mark of a model's own format; else None.

    A mark in code, or in the `passage`, all texts that the answer may speak of, does not count.
    """
    marks = find_marks(answer)
    if kinds_of_marks(mark[0] for mark in marks) <= (kinds_of_marks(passage) if marks else set()):
        return None
    return Refused(
        "control mark",
        "A mark of a model's own format is in the answer, as at a turn's end; answer in plain words.",
    )


def is_forged(answer: str) -> bool:
    """Return whether the answer has one of our tags that is not inert, be it copied or made up."""
    return keep_inert(answer) != answer


def _shows(character: str) -> bool:
    """Return whether a character is visible: no white space, control, format, or lone mark."""
    return unicodedata.category(character)[0] in "LNPS" and character not in UNSEEN
