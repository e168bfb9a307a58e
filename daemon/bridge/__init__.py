"""Let TypingMind's extension in: paired devices, signed calls, and the jobs that they give."""
