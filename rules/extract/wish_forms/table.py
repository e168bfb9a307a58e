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
_BEGINS: Final = r"(?:^|(?<=[,;:.!?…—–)] )|(?<=[，。；：！？、]))"
"""Where a clause begins."""


_SLOT = re.compile(r"<(say|talk|less|holds|order)>")


@cache
def compiled(number: int, part: str, *, leads: bool = False) -> re.Pattern[str]:
    """Return a slot of a language as a pattern; with `leads`, where a clause begins with it."""
    forms = FORMS[number]
    if part == "about":
        return any_case(rf"(?:\b|(?<=[\u4e00-\u9fff]))(?:{forms.say}|{forms.talk})")
    pattern = _SLOT.sub(lambda slot: f"(?:{getattr(forms, slot[1])})", getattr(forms, part))
    pattern = f"(?P<core>{pattern})"
    if leads:
        lead = f"(?:{forms.lead})*"
        when = f"(?:(?P<case>{forms.case}){lead}|{forms.at}{lead})?"
        not_idle = "" if part == "idle" else f"(?!{forms.idle})"
        pattern = _BEGINS + lead + when + not_idle + pattern
    return any_case(pattern)


CONDITION: Final = any_case(r"""
    \b(?:when(?:ever)?|if|every time|each time) i (?:ask|say|mention|write|talk
        |request)\w*(?: you)?(?: about| for| of)? *
    |\bwenn ich (?:dich |sie )?(?:nach|über|um|von)? *|\bquand je (?:te |vous )?\w+ *
    |\bcuando (?:te |le )?\w+ *(?:por|sobre)? *
    |\bquando (?:eu |ti |le )?\w+ *(?:por|sobre|di)? *|\bкогда я (?:тебя |вас )?\w+ *(?:о|об|про)? *
    |\bколи я (?:тебе |вас )?\w+ *(?:про)? *|\b(?:kiedy|gdy) (?:cię )?\w+ *(?:o)? *|(?:عندما|كلما) أسأل\w* *(?:عن)? *
    |जब (?:भी )?मैं *|(?:当|每次|每当)我(?:问|说|提到|提|发)(?:到|起)? *""")
