"""Whether two wordings that are alike say opposite things, so that they must not be merged.

They do where their numbers differ, or how often they say no. The table holds words of negation in the languages that
rules/extract knows. All languages together: where a word means no in one and something else in another, two facts
stay apart, which loses nothing.
"""

from collections import Counter

from rules.extract.listed import listed
from rules.extract.words import terms
from rules.facts.wording import normal

_NO = listed(
    """
    no not never none nobody nothing neither nor without cannot t dislike* hate* stop* quit former* anymore longer
    nicht nichts nie niemals kein* niemand ohne weder aufgehört
    ne pas jamais rien aucun* personne sans plus ni
    nunca jamás nada nadie ningun* ningún sin tampoco ya
    não nem nenhum* ninguém sem
    non mai niente nulla nessun* senza né
    не нет ни никогда никто ничего без нельзя больше
    ні немає ніколи ніхто нічого більше
    nie nigdy nikt nic bez żad* już
    değil yok hiç hayır asla artık kimse
    لا ليس ليست لم لن ما غير بدون أبدا
    नहीं न ना मत कभी बिना नही
    不* 没* 沒* 無* 无* 未* 非* 别* 別*
    ない なく なか せん ませ ずに 嫌い
    """
)


def opposed(one: str, other: str) -> bool:
    """Whether the two differ in their numbers, or in how often they say no."""
    return _numbers(one) != _numbers(other) or _denials(one) != _denials(other)


def _numbers(text: str) -> Counter[str]:
    """Runs of characters that count, in any script, by what they are written with."""
    runs = "".join(character if character.isnumeric() else " " for character in normal(text)).split()
    return Counter(runs)


def _denials(text: str) -> int:
    return sum(term in _NO for term in terms(normal(text)))
