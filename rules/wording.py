"""Numbers and names in sentences."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 message", "2,000 messages", "0 memories"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def about_it(sentence: str, name: str) -> str:
    """Say "It" for a name that is printed before the sentence, or leave it out: `"Name": ...`."""
    sentence = sentence.removeprefix(f'"{name}": ')
    rest = sentence.removeprefix(name)
    return f"It{rest}" if name and rest != sentence and rest.startswith(" ") else sentence
