"""Money: what a call costs, and at most; whether the caps allow it; and what a plan costs."""
