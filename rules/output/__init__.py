"""The finished chat as values: its order, its bytes, its proof, and the difference of two."""
