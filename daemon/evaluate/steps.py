"""The kinds of calls that an evaluation makes, as `memproc calls` lists them."""

WRITE, CHECK, BLIND, ASK = "questions", "check", "blind test", "evaluation"
STEPS = frozenset({WRITE, CHECK, BLIND, ASK})
