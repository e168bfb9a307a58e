"""What a memory is called where a person reads of it, and from when to when it is."""

from rules.memory.memory import Memory


def called(memory: Memory) -> str:
    """As in `memory 3 (m1f0c...)`, or `fold 1 of level 2 (f03b...)`: folds are counted level by level."""
    if memory.is_fold:
        return f"fold {memory.number} of level {memory.level} ({memory.memory_id})"
    return f"memory {memory.number} ({memory.memory_id})"


def dates(memory: Memory) -> str:
    """The days of the first and the last message that it stands for."""
    return f"{day(memory.began_at)} to {day(memory.ended_at)}"


def day(date: str | None) -> str:
    """The day of an export's date."""
    return (date or "no date")[:10]
