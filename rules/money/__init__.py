"""Money: what a call costs and may cost at most, whether the caps allow it, and what a plan costs."""
