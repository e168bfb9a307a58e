"""Moving to a new computer: everything in one file, and taken over from it."""
