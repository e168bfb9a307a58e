"""Which messages the agent lived through, and which are left out of memories, with the reason.

What is left out stays in the export where it stands, and in the archive; it is never compressed.
"""

from rules.export.message import Message

_REASONS = {
    "training-message": "an agent's hidden training message, which is always sent",
    "character-welcome-message": "an agent's welcome message",
    "org-first-assistant-message": "an organisation's welcome message",
    "clear-context": "a divider where the context was cleared",
    "tm_context_summary": "TypingMind's own context summary",
}
_LIVED = frozenset({"user", "assistant", "tool", "function"})


def left_out(message: Message) -> str | None:
    """Why the message is no part of the agent's experience; None where it is one."""
    if message.type in _REASONS:
        return _REASONS[message.type]
    if message.cleared:
        return "excluded from the context by the person"
    if message.role == "system":
        return "a system message inside the chat, which stays in force"
    if message.role not in _LIVED:
        return "of a kind that memproc does not know"
    return None
