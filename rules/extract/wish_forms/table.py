"""The forms of wishes of all languages, as patterns."""

import re
from functools import cache
from typing import Final

from rules.extract.patterns import any_case
from rules.extract.wish_forms.chinese import CHINESE
from rules.extract.wish_forms.english import ENGLISH
from rules.extract.wish_forms.french import FRENCH
from rules.extract.wish_forms.german import GERMAN
from rules.extract.wish_forms.italian import ITALIAN
from rules.extract.wish_forms.japanese import JAPANESE
from rules.extract.wish_forms.plain_orders import ARABIC, HINDI, POLISH, TURKISH, UKRAINIAN
from rules.extract.wish_forms.portuguese import PORTUGUESE
from rules.extract.wish_forms.russian import RUSSIAN
from rules.extract.wish_forms.spanish import SPANISH

FORMS: Final = (
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
"""The forms by language, in the order of TONGUES."""


@cache
def compiled(number: int, part: str, *, leads: bool = False) -> re.Pattern[str]:
    """Return a part of the forms of a language as a pattern; with `leads`, from the beginning of a sentence on."""
    forms = FORMS[number]
    pattern = getattr(forms, part)
    if leads:
        pattern = rf"^(?:{forms.lead})*(?:(?P<case>{forms.case})(?:{forms.lead})*|{forms.at}(?:{forms.lead})*)?(?:{pattern})"
    return any_case(pattern)


CONDITION: Final = any_case(r"""
    \b(?:when(?:ever)?|if|every time|each time) i (?:ask|say|mention|write|talk
        |request)\w*(?: you)?(?: about| for| of)? *
    |\bwenn ich (?:dich |sie )?(?:nach|über|um|von)? *|\bquand je (?:te |vous )?\w+ *
    |\bcuando (?:te |le )?\w+ *(?:por|sobre)? *
    |\bquando (?:eu |ti |le )?\w+ *(?:por|sobre|di)? *|\bкогда я (?:тебя |вас )?\w+ *(?:о|об|про)? *
    |\bколи я (?:тебе |вас )?\w+ *(?:про)? *|\b(?:kiedy|gdy) (?:cię )?\w+ *(?:o)? *|(?:عندما|كلما) أسأل\w* *(?:عن)? *
    |जब (?:भी )?मैं *|(?:当|每次|每当)我(?:问|说|提到|提|发)(?:到|起)? *""")
