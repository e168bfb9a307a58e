"""What the words of a wish do: closed classes of plain words and short phrases, the same for every language.

    could you    ask           every thursday    tomorrow    my mother
    ask          order, say    always            later       me, other

By the classes that a sentence has, and where, `rules.extract.wish_features` tells what it says yes or no to.
"""

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class WishWords:
    """The closed classes of one language, each as phrases with commas between them (`rules.extract.phrase_tree`)."""

    is_placed: bool = False
    """An order is told by its place alone: at the beginning of a clause, or after what asks for it."""
    lead: str = ""
    """May come before an order."""
    please: str = ""
    """Makes a request polite, also as a question after it."""
    order: str = ""
    """Orders to say something."""
    act: str = ""
    """Orders to do, keep or be something."""
    ask: str = ""
    """Turns what follows into a request to the other."""
    want: str = ""
    """Turns what follows into the speaker's preference."""
    ban: str = ""
    """Asks for something to be left out, to be less, or otherwise."""
    say: str = ""
    """Verbs of talking, in other forms than orders."""
    talk: str = ""
    """What talk is made of."""
    style: str = ""
    """How something is said: manners, languages, units."""
    always: str = ""
    """Makes an order hold for good."""
    case: str = ""
    """Opens a case in which it holds."""
    once: str = ""
    """Makes it hold now alone."""
    later: str = ""
    """One time at which it is to be done."""
    me: str = ""
    """The speaker as the one who is talked to."""
    i: str = ""
    """The speaker as the one who does something."""
    you: str = ""
    other: str = ""
    """Somebody else."""
    told: str = ""
    """Says that somebody said or wants something."""
    past: str = ""
    """Says that something was."""
    unreal: str = ""
    """Says that something is imagined."""
    idle: str = ""
    """Sayings, wishes of well-being, and what only looks like an order."""
    name: str = ""
    """Says what somebody is called."""
    hide: str = ""
    """Says that something is a secret."""
    end: str = ""
    """Takes a wish back."""
    vow: str = ""
    """How the persona binds itself; empty where the verb itself says so."""
    promise: str = ""
    """What it binds itself to."""
    done: str = ""
    """Says that something is done."""

    @classmethod
    def classes(cls) -> tuple[str, ...]:
        """Return the names of the classes."""
        return tuple(field.name for field in fields(cls) if field.name != "is_placed")
