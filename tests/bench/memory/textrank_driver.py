"""Rates sentences by sumy's TextRank. Runs in an environment that has sumy, and needs none of its data.

`python textrank_driver.py` reads a list of sentences as JSON, and prints one rating for each.
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
    told = json.load(sys.stdin)
    sentences = tuple(RatedSentence(tuple(re.findall(r"\w+", text)) or ("-",)) for text in told)
    ratings = TextRankSummarizer(Stemmer("english")).rate_sentences(RatedDocument(sentences))
    sys.stdout.write(json.dumps([float(ratings[sentence]) for sentence in sentences]) + "\n")


if __name__ == "__main__":
    main()
