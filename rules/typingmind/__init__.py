"""All that knows TypingMind's JSON. Another chat program's format would be a package next to it.

What the rest asks of it:

        document.py    where the chats of an export are, and an export put together again
        chat.py        a chat: its id, title, settings and messages
        message.py     a message: who says what, when; its text, files, branches; why it is left out
    splice.py      new messages and fields among the person's own bytes
        originals.py   messages kept with their memory but no longer sent; the list of deletions
    new_chat.py    new messages, and chats: brought ones, the raw conversation, or the finished one
    plain.py       a second reading, by the standard library's parser, for the proof

spans.py finds out where each value of a JSON text begins and ends.
"""
