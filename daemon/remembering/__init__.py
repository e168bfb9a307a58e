"""A chunk becomes a memory: the questions, their second chances, and what is done when an agent cannot answer."""
