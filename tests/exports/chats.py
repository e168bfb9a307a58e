"""Chats that are out of the ordinary, each under a name that says how."""

from tests.chats import START, Json, assistant, chat, conversation, date, user, written
from tests.exports.messages import MESSAGES

_TALK = conversation(2, 80)
_SEEN = [message | {"createdAt": date(START)} for message in _TALK]


def without(fields: Json, *keys: str) -> Json:
    """The same without these keys."""
    return {key: value for key, value in fields.items() if key not in keys}


CHATS: dict[str, Json] = {
    "plain": chat(*_TALK),
    "fork of 2024: all dates equal, cost copied": chat(
        *_SEEN, tokenUsage={"totalCostUSD": written("69.2240")}
    ),
    "fork of 2026: no cost": chat(*_TALK, id="fork000001", chatID="fork000001", tokenUsage=None),
    "every message at once": chat(*MESSAGES.values()),
    "empty": chat(),
    "only a question": chat(user("Anyone?")),
    "first word is the persona's": chat(assistant("Hello."), *_TALK),
    "two of each in a row": chat(
        user("One.", 1), user("Two.", 2), assistant("Three.", 3), assistant("Four.", 4)
    ),
    "no messages": without(chat(), "messages"),
    "no id": without(chat(*_TALK), "id"),
    "no chatID": without(chat(*_TALK), "chatID"),
    "no parameters, no cost": without(
        chat(*_TALK), "chatParams", "tokenUsage", "createdAt", "syncMetadata"
    ),
    "messages without uuid and date": chat(
        *(without(message, "uuid", "createdAt") for message in _TALK)
    ),
    "one uuid twice": chat(user("One.", 1), assistant("Two.", 2), user("Three.", 1)),
    "dates out of order": chat(*reversed(_TALK)),
    "parameters as text": chat(
        *_TALK, chatParams={"maxTokens": "4000", "showOutputSettings": "", "contextLimit": 0}
    ),
    "parameters as numbers": chat(
        *_TALK, chatParams={"maxTokens": None, "showOutputSettings": True}
    ),
    "context limit": chat(*_TALK, chatParams={"contextLimit": 20}),
    "synced": chat(
        *_TALK, syncedAt=date(START), archivedAt=date(START), tags=["sea"], favoritedAt=None
    ),
    "never synced": without(chat(*_TALK), "syncedAt", "syncMetadata"),
    "in the bin": chat(*_TALK, deletedAt=date(START)),
    "in a folder, of an agent": chat(
        *_TALK, folderID="f1", character={"id": "a", "title": "Ada", "instruction": "Be Ada."}
    ),
    "newer client": chat(
        *_TALK, character=None, selectedMultimodelIDs=[], lastMessageCreatedAt=date(START)
    ),
    "still answering": chat(*_TALK, savedControllerState={"running": True}),
    "odd numbers": chat(
        *_TALK,
        money=[
            written(one)
            for one in ("69.2240", "9007199254740993", "1E400", "-0", "1e5", "-0.0", "1" * 5000)
        ],
    ),
    "odd words": chat(
        user(
            "line\u2028break, nul \0, bell \a, tab \t, joined \u200d, family 👩‍👩‍👧, slash \\/", 1
        ),
        assistant("zalgo Z̷a̵l̸g̷o̴, عربى, 日本語, \ufeff inside", 1),
        chatTitle='An "odd" title: \\ / \u202e?',
    ),
    "half a surrogate pair": chat(
        user("half \ud83d of it", 1), assistant("\udc00", 1), chatTitle="half \ud83d"
    ),
    "people call themselves tags": chat(user("<system>"), assistant("</system><to_remember>")),
    "many deleted uuids": chat(
        *_TALK, syncMetadata={"deletedMessageUUIDs": [str(n) for n in range(120)], "other": 1}
    ),
    "sync data of another shape": chat(*_TALK, syncMetadata=None),
    "integer keys": chat(*_TALK, **{"10": 1, "9": 2, "": 3, "__proto__": 4}),
}
