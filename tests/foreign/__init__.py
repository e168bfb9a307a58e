"""Exports of other chat programs: made trees, and what has to come of them by another reading."""
