"""The headings of the lists that end a memory, in each language, in the order of `TONGUES`."""

from typing import Final

ASKED: Final = (
    "You asked me:",
    "Du hast mich gebeten:",
    "Tu m’as demandé :",
    "Me pediste:",
    "Você me pediu:",
    "Mi hai chiesto:",
    "Твои просьбы:",
    "Твої прохання:",
    "Twoje prośby:",
    "Benden istediklerin:",
    "طلبت مني:",
    "तुमने मुझसे कहा है:",
    "你要求我：",
    "あなたの頼み：",
)
"""Above the person's wishes."""
STILL: Final = (
    "Still open:",
    "Noch offen:",
    "Encore à faire :",
    "Aún pendiente:",
    "Ainda em aberto:",
    "Ancora da fare:",
    "Ещё впереди:",
    "Ще попереду:",
    "Jeszcze przed nami:",
    "Henüz bekleyenler:",
    "ما زال مفتوحا:",
    "अभी बाकी:",
    "还没做的：",
    "まだのこと：",
)
"""Above promises and tasks."""
