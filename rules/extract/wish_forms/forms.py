"""The slots of wishes by language: closed classes of words, of which `rules.extract.wishes` composes the forms.

A wish is about how the persona talks: what it says, asks, calls somebody, leaves out. It is told by what turns a clause
to the persona (an order, a ban, "could you", "I'd rather you"), what it is to say or how (`talk`, `less`), and
what makes it hold for good (a day of the week, "always", a case such as "when I am sad"). Each pattern is read without
line breaks, and without regard to case; `<talk>` in it is the slot of that name.
"""

from dataclasses import dataclass
from typing import Final

NONE: Final = "(?!)"
"""A pattern of what a language has no rules for."""


@dataclass(frozen=True, slots=True)
class WishForms:
    """The slots of wishes in one language, as regular expressions."""

    lead: str
    """What may come before an order, in any number."""
    form: str
    """A wish by itself, right at the beginning of a clause: "from now on", "no emojis"."""
    within: str
    """A wish anywhere in a sentence: a name to call, a secret."""
    say: str = NONE
    """Verbs of talking, in any form."""
    talk: str = NONE
    """What talk is made of, and looks like: words, emojis, tones, languages, units."""
    less: str = NONE
    """Asks for something to be left out, or to be otherwise."""
    ask: str = NONE
    """Turns what follows into a request: a question or a preference."""
    case: str = NONE
    """A case in which something holds: a clause before an order."""
    at: str = NONE
    """When or in what something holds: a few words before an order."""
    order: str = NONE
    """An order to say something, at the beginning."""
    after: str = NONE
    """An order of any kind, after a case."""
    ban: str = NONE
    """An order not to say something, at the beginning."""
    holds: str = NONE
    """What makes an order hold for good, anywhere."""
    once: str = NONE
    """What makes it hold once."""
    told: str = NONE
    """Says before an order that it is somebody else's, past, or unreal."""
    idle: str = NONE
    """What only looks like an order: a cry, a saying, a goodbye."""
    ended: str = NONE
    """Takes a wish back."""
    promise: str = NONE
    """What the persona binds itself to, at the beginning of a clause."""
    done: str = NONE
    """Says that something is done."""
