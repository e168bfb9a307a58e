"""The dialogues that make memories, folds, core memory and facts, and the plan of what they are about."""
