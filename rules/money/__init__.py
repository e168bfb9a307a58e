"""Money: what a call costs and may cost at most, whether the caps allow it, and a plan's cost."""
