"""Money: what a call costs, what it may cost at most, whether the caps allow it, and what a plan will cost."""
