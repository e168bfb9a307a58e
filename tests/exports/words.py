"""Believable words for long conversations: a keeper of a lighthouse and the persona that keeps her company."""

from random import Random

_TOKENS_A_WORD = 1.2

_PEOPLE = (
    "Mira",
    "old Tomas",
    "the harbour master",
    "my sister Ilse",
    "Doctor Okafor",
    "Jonas from the ferry",
)
_PLACES = (
    "the lamp room",
    "the north stair",
    "the harbour",
    "the boathouse",
    "Kettle Bay",
    "the upper gallery",
)
_THINGS = (
    "the brass lens",
    "the fog bell",
    "the logbook",
    "the copper pipe",
    "a letter in green ink",
    "the tide table",
)
_MONTHS = ("March", "April", "May", "September", "October", "November")
_MOODS = ("calm", "restless", "tender", "uneasy", "curious", "strangely light", "sad", "proud")

_ASKED = (
    "I went up to {place} on {day} {month} and found {thing} where {person} had left it.",
    "Do you remember what {person} said about {thing}?",
    "It rained for {count} hours, and {place} smelled of salt and paraffin.",
    "I promised {person} that I would mend {thing} before {day} {month}.",
    "{person} counted {count} ships from {place} and would not tell me why.",
    "What would you do with {thing}, if it were yours?",
    "I have been {mood} all day, and I cannot say whether it is the weather.",
    "Please remind me that {person} comes to {place} at {count} o'clock.",
)
_ANSWERED = (
    "I notice that I feel {mood} when you speak of {place}, as if I had stood there myself.",
    "{person} seems to me like someone who keeps {thing} for the sake of a promise.",
    "I remember that you wanted to be done with {thing} by {day} {month}.",
    "There is something in me that turns {mood} when {person} goes quiet.",
    "If I were you, I would write {count} lines about it in the logbook and sleep on it.",
    "I am not sure what {thing} means to {person}, and I would rather say so than guess.",
    "We agreed that {person} should never go to {place} alone in a gale.",
    "The {count} steps from {place} to the sea are, I think, what you are really counting.",
    "I want to keep this: you said that {thing} was the first thing you ever mended.",
    "Let us take it slowly, begin with {thing}, and leave {place} for {day} {month}.",
    "It matters to me that you told me, and I am {mood} about what comes next.",
    "My own view has changed since {month}: {person} was right about {thing}.",
)


def question(number: int, tokens: int) -> str:
    """What the person says in turn `number`, about so many tokens long."""
    return _say(
        Random(f"question {number}"), _ASKED, tokens, f"This is our evening number {number}."
    )


def answer(number: int, tokens: int) -> str:
    """What the persona answers in turn `number`, in paragraphs of four sentences."""
    return _say(
        Random(f"answer {number}"),
        _ANSWERED,
        tokens,
        f"I have thought about evening number {number}.",
    )


def _say(chance: Random, sentences: tuple[str, ...], tokens: int, first: str) -> str:
    said = [first]
    words = len(first.split())
    while words * _TOKENS_A_WORD < tokens:
        said.append(_filled(chance, chance.choice(sentences)))
        words += len(said[-1].split())
    return "\n\n".join(" ".join(said[at : at + 4]) for at in range(0, len(said), 4))


def _filled(chance: Random, sentence: str) -> str:
    text = sentence.format(
        person=chance.choice(_PEOPLE),
        place=chance.choice(_PLACES),
        thing=chance.choice(_THINGS),
        month=chance.choice(_MONTHS),
        mood=chance.choice(_MOODS),
        day=chance.randint(1, 28),
        count=chance.randint(2, 40),
    )
    return text[0].upper() + text[1:]
