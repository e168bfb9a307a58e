"""Conversations of other chat programs, on their way into a TypingMind chat."""
