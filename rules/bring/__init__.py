"""Bring conversations of other chat programs into a TypingMind chat."""
