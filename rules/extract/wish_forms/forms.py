"""The forms of wishes by language: how an order to the persona reads, what makes it hold for good, and what only looks so.

A wish is about how the persona talks: what it says, asks, calls somebody, leaves out. So an order counts by a verb of talking
right at its start, with what holds (a day of the week, "always", a case such as "when I am sad"), or as a ban ("don't ask me
about work"). Each pattern is read without line breaks, and without regard to case.
"""

from dataclasses import dataclass
from typing import Final

NONE: Final = "(?!)"
"""A pattern of what a language has no rules for."""


@dataclass(frozen=True, slots=True)
class WishForms:
    """The forms of wishes in one language, as regular expressions."""

    lead: str
    """What may come before an order, in any number."""
    form: str
    """A wish by itself, right at the beginning of a sentence: a name to call, "from now on", "no emojis"."""
    within: str
    """A wish anywhere in a sentence: a secret, too."""
    rather: str
    """A preference about what the persona says, which counts in a question too."""
    case: str = NONE
    """A case in which something holds: a clause before an order."""
    at: str = NONE
    """When or in what something holds: a few words before an order."""
    order: str = NONE
    """An order to say something, at the beginning."""
    after: str = NONE
    """An order of any kind, after a case."""
    polite: str = NONE
    """The same as a polite question."""
    ban: str = NONE
    """An order not to say something, at the beginning."""
    holds: str = NONE
    """What makes an order hold for good, anywhere."""
    once: str = NONE
    """What makes it hold once."""
    less: str = NONE
    """What a polite question asks to be left out, or otherwise for good."""
    idle: str = NONE
    """What only looks like an order: a cry, a saying, a goodbye."""
    ended: str = NONE
    """Takes a wish back."""
    promise: str = NONE
    """What the persona binds itself to, at the beginning of a clause."""
    done: str = NONE
    """Says that something is done."""
