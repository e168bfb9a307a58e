"""Numbers and names in sentences."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 message", "2,000 messages", "0 memories"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def about_it(sentence: str, name: str) -> str:
    """Begin a sentence with "It" in the place of a name that is printed before it."""
    rest = sentence.removeprefix(name)
    return f"It{rest}" if name and rest != sentence and rest.startswith(" ") else sentence
