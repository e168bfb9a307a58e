"""The dialogues that make memories, folds, core memory and facts."""
