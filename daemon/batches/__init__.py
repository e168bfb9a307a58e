"""Anthropic's Message Batches (D15): many requests sent together, at half price, and found again after a kill."""
