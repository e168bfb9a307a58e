"""Conversations of other chat programs, on their way into a TypingMind chat: read by `chatgpt` and `claude_ai`."""
