"""Random lives of a chat: a person, TypingMind and memproc, and what must hold after every step."""
