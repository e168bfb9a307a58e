"""What an answer is refused for: one list of checks, each with its name and its reason."""
