"""Rates sentences by sumy's TextRank. Runs in an environment that has sumy, and needs none of its data.

`python textrank_driver.py` reads lists of sentences as JSON, and prints a list of their ratings for each.
"""

import json
import re
import sys
from dataclasses import dataclass

from sumy.nlp.stemmers import Stemmer  # type: ignore[import-not-found]  # it is in an environment of its own
from sumy.summarizers.text_rank import TextRankSummarizer  # type: ignore[import-not-found]


@dataclass(frozen=True, slots=True, eq=False)
class RatedSentence:
    """A sentence as sumy wants it."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RatedDocument:
    """A document as sumy wants it."""

    sentences: tuple[RatedSentence, ...]


def main() -> None:
    """English stems, no list of stop words: sumy's own default."""
    summarizer = TextRankSummarizer(Stemmer("english"))
    told = []
    for texts in json.load(sys.stdin):
        sentences = tuple(
            RatedSentence(tuple(re.findall(r"\w+", text)) or ("-",)) for text in texts
        )
        ratings = summarizer.rate_sentences(RatedDocument(sentences))
        told.append([float(ratings[sentence]) for sentence in sentences])
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
