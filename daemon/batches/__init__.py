"""Anthropic's Message Batches: many requests sent together, at half price, and found again after a kill."""
