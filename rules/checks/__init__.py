"""The checks that an answer must pass: one list, each with its name and its reason."""
