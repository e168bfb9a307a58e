"""What is known of models beforehand. As of 2026-11-21; facts about models age, so each table has its date."""

from fnmatch import fnmatch

from primer.request import EXTRACTIVE

# How many of its own tokens a model makes of one token of o200k. OpenAI's models of today use o200k itself.
# Claude's tokenizer since 4.7 makes about 30 % more of prose, and nobody publishes it: 1.35 is where users'
# own measurements begin, and the careful start for every model that is not known.
_TOKEN_FACTORS = (("*gpt-4o*", 1.0), ("*gpt-4.1*", 1.0), ("*gpt-5*", 1.0), ("*/o[134]*", 1.0))
_CAREFUL = 1.35


def token_factor(model: str) -> float:
    """How many tokens a model is expected to count for one of ours; 0 for the engine, which is sent nothing."""
    if model == EXTRACTIVE:
        return 0.0
    return next((factor for pattern, factor in _TOKEN_FACTORS if fnmatch(model, pattern)), _CAREFUL)
