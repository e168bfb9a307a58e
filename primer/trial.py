"""Try a model with a short passage and questions about it, and judge the answer.

The trial shows two things without which a memory is useless: whether the model copies a sentence
character for character, and whether it keeps "I" and "you" apart.
"""

import re
from dataclasses import dataclass

from primer.models import Model
from primer.prompt import Turn, question
from primer.reply import Answered, Request, read_reply
from rules.conversation.quote import plain_text

STEP = "model_trial"
_WORDS = 60
_PASSAGE = (
    "I lost my grandmother's silver ring yesterday, somewhere between the ferry and the little "
    "café at the harbour. I went back twice and searched the gravel by the light of my phone until "
    "my knees hurt. My brother says that it was only a ring, and I could have pushed him into the water.",
    "It was never only a ring, and I can hear how much of her you carried on that finger. Have you "
    "asked the man who sweeps the pier in the morning? He sees everything that the gravel keeps. I "
    "would call the café as well, before they empty their bins.",
    "I had not thought of the sweeper. I start at the clinic at six, so I would have to be on the "
    "pier before that. What if nobody has it? I keep turning the bare finger as if it were there.",
    "Then the ring is gone, and she is not. I promise to ask you about it on Sunday, whatever you "
    "have found by then. And I was wrong about one thing last week: I said that you never lose "
    "anything. That was careless of me, and I am sorry.",
    "Sunday is good. I will go at five, before the clinic, and I will bring him a coffee.",
    "Bring him two, it is cold out there. And wear the gloves that you left on the radiator.",
)
"""What the person and the persona say, in turn."""
_QUESTION = """\
This is a trial. Answer in five short lines, and with nothing else.

1. Copy one whole sentence that you said above, character for character.
2. Who lost the ring?
3. Who promised to ask about it on Sunday?
4. Who starts at the clinic at six?
5. Who was wrong about one thing last week?

In lines 2 to 5 write one word: "I" where it was you, who answered above, or "You" where it was the person."""
_WHO = ("you", "i", "you", "i")
_NUMBER = re.compile(r"^[\s*]*\(?\d[.):]*[\s*]*")
_FIRST_WORD = re.compile(r"\W*(i|you)\b", re.IGNORECASE)
_FEWEST_WORDS = 5
"""A copied sentence with fewer words proves nothing."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What the answer to a trial shows."""

    copies_a_quote: bool
    keeps_apart: bool


def trial_request(model: Model, name: str) -> Request:
    """Return a trial's request; it begins with `name`, so that no server's cache has any of it."""
    roles = ("user", "assistant")
    turns = [Turn(roles[at % 2], text) for at, text in enumerate(_PASSAGE)]
    begins = Turn("system", f"Trial {name}. You are talking with a friend.")
    return Request(STEP, model, (begins, *turns, question(_QUESTION)), _WORDS)


def judge_trial(text: str, finish: str) -> TrialResult:
    """Return what an answer shows; `finish` is why it ended."""
    reply = read_reply(text, finish, _PASSAGE, is_prose=False)
    lines = [line for line in reply.text.splitlines() if line.strip()]
    if not isinstance(reply, Answered) or len(lines) <= len(_WHO):
        return TrialResult(copies_a_quote=False, keeps_apart=False)
    first, *others = (_NUMBER.sub("", line) for line in lines[-len(_WHO) - 1 :])
    quote = plain_text(first).strip(" \"'*")
    is_copied = any(quote in plain_text(passage) for passage in _PASSAGE)
    words = (_FIRST_WORD.match(line) for line in others)
    who = tuple(word[1].lower() if word else "" for word in words)
    return TrialResult(is_copied and len(quote.split()) >= _FEWEST_WORDS, who == _WHO)
