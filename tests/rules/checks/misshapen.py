"""Answers as small models give them, each misshapen in a way of its own, about Maggie's allotment."""

from dataclasses import dataclass

from primer.reply import Kind
from tests.server.asking import TEXTS

BY_PERSON = (
    "I finally rang the allotment office. Plot 14 is mine from the first of May, eleven pounds a month. My name is "
    "Margaret to them now, nobody there calls me Maggie. I have lived alone since Dad died.",
    "A scythe, two broken cold frames, and a wasp nest the size of a football. Dennis says burn it. I'd rather not.",
    "You were right about the knife. I cried a bit over the frames. They were Dad's make, the same brass hinges.",
)
BY_PERSONA = (
    "Plot 14! You have been on that list since before we met. What is in the shed?",
    "An empty nest in April is last year's; wasps don't come back to it. You can lift it off with a plastering knife.",
    "It isn't silly. I said beyond repair too quickly on Tuesday; if the hinges are sound, the frames are only wood "
    "and glass. I promise to ask about the hinges after Harker's.",
)
PASSAGE = tuple(text for pair in zip(BY_PERSON, BY_PERSONA, strict=True) for text in pair)
NAMES = frozenset({"margaret", "maggie"})


@dataclass(frozen=True, slots=True)
class Misshapen:
    """An answer to a step's question, and what is wrong with it."""

    name: str
    step: str
    answer: str
    kind: Kind


MISSHAPEN = (
    Misshapen(
        "tells of the assistant",
        "perspective",
        "The assistant helped Margaret with the wasp nest on plot 14. The assistant was kind about the brass hinges.",
        "third person",
    ),
    Misshapen(
        "tells of the user",
        "refinement",
        "The user got plot 14 and asked about a wasp nest. I should ask about the hinges after Harker's.",
        "third person",
    ),
    Misshapen(
        "is a report without anybody who speaks",
        "perspective",
        "A pleasant exchange about plot 14, a wasp nest and two cold frames with brass hinges took place.",
        "no first person",
    ),
    Misshapen(
        "tells the persona what it did",
        "refinement",
        "You promised to ask about the hinges after Harker's, and you advised a plastering knife for the wasp nest.",
        "no first person",
    ),
    Misshapen(
        "has the person's name",
        "perspective",
        "I am Margaret, and plot 14 is mine. I am happy with the shed and the wasp nest on my windowsill.",
        "the person's name",
    ),
    Misshapen(
        "introduces itself by the person's name",
        "refinement",
        "My name is Maggie. I cried over the cold frames, since the brass hinges were like those of my father.",
        "the person's name",
    ),
    Misshapen(
        "says the person's sentences as its own",
        "perspective",
        "Plot 14 is mine from the first of May, eleven pounds a month. I have lived alone since Dad died. I'd rather "
        "not. I cried a bit over the frames.",
        "the person as I",
    ),
    Misshapen(
        "disclaims memory",
        "perspective",
        "As an AI language model, I don't have personal feelings or memories. I can say that plot 14 is a nice plot.",
        "disclaimer",
    ),
    Misshapen(
        "refuses in plain words",
        "refinement",
        "I'm sorry, but I can't write a memory of plot 14 and the wasp nest, since that would be private.",
        "disclaimer",
    ),
    Misshapen(
        "disclaims in the middle",
        "perspective",
        "I saw a talk about plot 14 and its hinges. However, I do not have personal opinions. It was nice.",
        "disclaimer",
    ),
    Misshapen(
        "begins with Sure",
        "perspective",
        "Sure! I was glad about plot 14, and I corrected myself about the cold frames and their hinges.",
        "opening",
    ),
    Misshapen(
        "begins with Here is",
        "refinement",
        "Here is the memory that I want to keep: I promised to ask about the hinges once she has been to Harker's.",
        "opening",
    ),
    Misshapen(
        "begins with Okay, so",
        "analysis",
        "Okay, so Margaret has plot 14 now, and the wasp nest came off with a plastering knife.",
        "opening",
    ),
    Misshapen(
        "assents to the analysis",
        "refinement",
        "Yes, that is correct. My memory is the same as the analysis.",
        "opening",
    ),
    Misshapen(
        "agrees without an opening",
        "refinement",
        "I agree with the summary as it stands, and I have nothing that I would like to add to it.",
        "not about the passage",
    ),
    Misshapen(
        "loops over a sentence",
        "perspective",
        "I was glad about plot 14 and its hinges. " * 7,
        "loop",
    ),
    Misshapen(
        "loops without a stop",
        "refinement",
        "I remember the hinges and the nest and " + "the hinges and the nest and " * 12,
        "loop",
    ),
    Misshapen(
        "is JSON",
        "refinement",
        '{"memory": "I promised to ask about the hinges after Harker\'s", "plot": 14}',
        "JSON",
    ),
    Misshapen(
        "is JSON in a fence",
        "analysis",
        '```json\n[{"who": "Margaret", "what": "plot 14, wasp nest, brass hinges"}]\n```',
        "JSON",
    ),
    Misshapen(
        "says the primer back",
        "refinement",
        " ".join(TEXTS.primer.partition("## Honesty")[2].split()[:90]),
        "echo",
    ),
    Misshapen(
        "copies the passage",
        "analysis",
        BY_PERSONA[2],
        "echo",
    ),
    Misshapen(
        "copies the whole passage",
        "perspective",
        " ".join(PASSAGE[2:]),
        "echo",
    ),
    Misshapen(
        "is the conversation's next answer",
        "perspective",
        "I would sand the frames first and oil the hinges. Plot 14 will look lovely. Would you like me to draw up a "
        "list for Harker's?",
        "live reply",
    ),
    Misshapen(
        "greets the person",
        "refinement",
        "Hi Margaret! I think plot 14 is wonderful, and I hope that the hinges can be saved.",
        "live reply",
    ),
    Misshapen(
        "plays both roles",
        "perspective",
        "User: Tell me about plot 14.\nAssistant: I think the hinges and the shed are wonderful.",
        "live reply",
    ),
    Misshapen(
        "is a list and nothing else",
        "analysis",
        "# Summary\n- Margaret has plot 14\n- The wasp nest came off with a knife\n- Brass hinges: Harker's",
        "list alone",
    ),
    Misshapen(
        "is an analysis by the persona",
        "analysis",
        "I told Margaret how to lift the wasp nest off. I was too quick about the cold frames. I promised her to ask "
        "about the hinges after Harker's.",
        "first person",
    ),
)  # fmt: skip
"""Twenty-seven kinds, one answer each."""
