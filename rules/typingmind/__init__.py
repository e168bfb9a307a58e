"""All that knows TypingMind's JSON. Another chat program's format would be a package like this one beside it.

What the rest asks of it:

    document.py    where the chats of an export stand, and an export put together again
    chat.py        a chat: its id, title, settings, and its messages
    message.py     a message: who says what, when, and why it is left out of memories; branches
    content.py     its text, with placeholders for what is no text, and the files that it names
    deletions.py   which messages a chat names as deleted
    compose.py     a message of ours in TypingMind's form
    originals.py   messages that stay beside their memory, shown and no longer sent
    splice.py      new messages and fields among the person's own bytes
    copies.py      the raw conversation, or the finished one, as a chat of its own
    warnings.py    settings of a chat that would spoil its memories
    plain.py       a second, independent reading for the proof
    dates.py       dates as exports write them

spans.py and walk.py find out where each value of a JSON text begins and ends.
"""
