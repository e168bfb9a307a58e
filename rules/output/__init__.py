"""The finished chat: our messages, the assembly, the proof, and the name of its file."""
