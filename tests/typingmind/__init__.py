"""A TypingMind for tests: what it stores, and what it does when a person uses it.

    device = TypingMind(7)                     one device, with dice of its own: two devices need two seeds
    chat_id = device.begin("The lighthouse")
    device.talk(chat_id, turns=20)
    device.bring_in(path.read_bytes())         the person imports what memproc wrote
    sync(device, other, chat_id)               another device pulls it

It knows two clients: "2024" has neither branches nor a merging sync, "2026" has both. Same seed and same
acts: same bytes. The dates are the device's own (`device.now`), and so never the machine's.
"""

from tests.typingmind.cloud import sync
from tests.typingmind.device import TypingMind
from tests.typingmind.others import jsonb, strip_markers
from tests.typingmind.shapes import new_chat

__all__ = ["TypingMind", "jsonb", "new_chat", "strip_markers", "sync"]
