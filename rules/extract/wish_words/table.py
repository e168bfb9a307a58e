"""The words of wishes of all languages, as trees of phrases."""

from functools import cache
from typing import Final

from rules.extract.phrase_tree import Branch, tree_of
from rules.extract.wish_words.chinese import CHINESE
from rules.extract.wish_words.classes import WishWords
from rules.extract.wish_words.english import ENGLISH
from rules.extract.wish_words.french import FRENCH
from rules.extract.wish_words.german import GERMAN
from rules.extract.wish_words.italian import ITALIAN
from rules.extract.wish_words.japanese import JAPANESE
from rules.extract.wish_words.plain_orders import ARABIC, HINDI, POLISH, TURKISH, UKRAINIAN
from rules.extract.wish_words.portuguese import PORTUGUESE
from rules.extract.wish_words.russian import RUSSIAN
from rules.extract.wish_words.spanish import SPANISH

WORDS: Final = (
    ENGLISH,
    GERMAN,
    FRENCH,
    SPANISH,
    PORTUGUESE,
    ITALIAN,
    RUSSIAN,
    UKRAINIAN,
    POLISH,
    TURKISH,
    ARABIC,
    HINDI,
    CHINESE,
    JAPANESE,
)
"""The words by language, in the order of TONGUES."""
_OF_PERSONA: Final = ("vow", "promise", "done", "please", "you")
"""The classes by which a promise is told; by all others, a wish."""


@cache
def wish_tree(number: int) -> Branch:
    """Return the phrases by which a language says wishes."""
    return _tree(WORDS[number], frozenset(WishWords.classes()) - {"vow", "promise"})


@cache
def promise_tree(number: int) -> Branch:
    """Return the phrases by which a language says promises."""
    return _tree(WORDS[number], frozenset(_OF_PERSONA))


def _tree(words: WishWords, names: frozenset[str]) -> Branch:
    return tree_of({name: getattr(words, name) for name in names})
