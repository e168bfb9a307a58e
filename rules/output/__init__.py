"""The finished chat as values: its order, its bytes, its proof, and how two exports differ."""
