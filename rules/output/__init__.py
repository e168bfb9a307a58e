"""The finished chat as values: its order, its bytes, its proof, its name, and what two of them differ in."""
