"""The triggers that end a chat's rest: once anything is written about it, what was found before does not count."""

_CHAT_OF = {
    "core_event": "{row}.chat",
    "fact_event": "{row}.chat",
    "opening": "{row}.chat",
    "layer_step": "(SELECT chat FROM memory WHERE id = {row}.memory)",
    "message": "{row}.chat",
    "missing": "(SELECT chat FROM message WHERE id = {row}.message)",
    "version": "(SELECT chat FROM message WHERE id = {row}.message)",
    "memory": "{row}.chat",
    "edition": "(SELECT chat FROM memory WHERE id = {row}.memory)",
    "chunk_message": "(SELECT chat FROM memory WHERE id = {row}.memory)",
    "fold_member": "(SELECT chat FROM memory WHERE id = {row}.fold)",
}
"""How to come from a row of each table to the number of its chat."""
_EVENTS = {"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD"}


def triggers(*tables: str) -> str:
    """The SQL that makes those of some tables."""
    return "".join(
        _trigger(table, event, f"(SELECT chat_id FROM chat WHERE id = {_CHAT_OF[table].format(row=row)})")  # noqa: S608
        for table in tables
        for event, row in _EVENTS.items()
    )


def triggers_of_chats() -> str:
    """The SQL of two more. Output rows name their chat by its id; of a chat itself, only its round counts."""
    ends = [_trigger("output", event, f"{row}.chat_id") for event, row in _EVENTS.items()]
    ends += [_trigger("chat", "INSERT", "NEW.chat_id"), _trigger("chat", "UPDATE OF round_to", "NEW.chat_id")]
    return "".join(ends)


def _trigger(table: str, event: str, chat_id: str) -> str:
    name = f"rest_ends_with_{event.split()[0].lower()}_of_{table}"
    rest = f"DELETE FROM rest WHERE chat_id = {chat_id};"  # noqa: S608
    return f"CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN {rest} END;\n"
