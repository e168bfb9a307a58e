"""The built-in engine `memproc/extractive`: the persona's own sentences, chosen without a model or network."""

from collections.abc import Sequence

from primer.prompt import Turn, read_passage, said_after
from rules.extract.answers import analysis, perspective, quote, refinement


def extract(turns: Sequence[Turn], step: str, words: int) -> str:
    """The answer to one of the four questions, from the passage to remember that stands in the request.

    What the dialogue has said since the passage is not said again, unless nothing else is left.
    """
    passage = read_passage(turns)
    if step == "quote":
        return quote(passage, words)
    if step == "analysis":
        return analysis(passage, words)
    choose = perspective if step == "perspective" else refinement
    return choose(passage, words, said_after(turns))
