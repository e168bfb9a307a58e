"""Which direct quotes a fold carries on, word for word.

up to six of all members together     all of them
more than six                         those that the agent names by their numbers
no such answer, or no agent           the first quote of each member
"""

from collections.abc import Sequence

from daemon.remembering.question import Desk, Question, put
from daemon.remembering.quoting import QUOTE_WORDS
from primer import fold, prompt
from primer.prompt import Turn
from primer.reply import Refused
from primer.request import ENGINE, Model, Request
from rules.conversation.memory import MOST_QUOTES, Memory, Quote


def carried(
    desk: Desk, agent: Model, before: tuple[Turn, ...], members: Sequence[Memory], guidance: str
) -> tuple[Quote, ...]:
    """The quotes of a fold of `members`, oldest first, at most six; `before` is the agent's context.

    Raises ModelError where the agent cannot be asked.
    """
    offered = [quote for member in members for quote in member.told.quotes]
    if len(offered) <= MOST_QUOTES:
        return tuple(offered)
    if agent != ENGINE:
        chosen = _chosen(desk, agent, before, offered, guidance)
        if chosen:
            return tuple(offered[number - 1] for number in chosen)
        desk.note("first quotes carried on")
    return tuple(quote for member in members for quote in member.told.quotes[:1])[:MOST_QUOTES]


def _chosen(
    desk: Desk, agent: Model, before: tuple[Turn, ...], offered: Sequence[Quote], guidance: str
) -> tuple[int, ...]:
    """The numbers that the agent names; none where it names none that can be used."""
    asked = prompt.guided(desk.texts, guidance, fold.ask_choice(desk.texts, offered, MOST_QUOTES))
    answer = put(desk, Question(Request("quote", agent, before, QUOTE_WORDS), asked, ()))
    return () if isinstance(answer, Refused) else fold.read_choice(answer.text, len(offered), MOST_QUOTES)
