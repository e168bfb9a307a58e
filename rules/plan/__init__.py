"""What to compress, and what not: turns, chunks, tails, and the plan that they make."""
