"""Numbers in sentences."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 message", "2,000 messages", "0 memories"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
