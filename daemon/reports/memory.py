"""Say all of one memory: what it was made of, and its editions, each with what it says."""

from collections.abc import Iterator, Sequence

from daemon.archive.search_words import Stretch
from daemon.chat.holding import Holding
from daemon.reports.memories import memory_data, memory_row
from daemon.reports.report import Card, Report, ReportTable, Step, unmarked
from rules.conversation.memory import EXTRACTED, Edition, Memory, Quote
from rules.conversation.memory_title import called, dates, subject_of
from rules.plan.folds import notes_of
from rules.wording import as_sentence, capital, counted, cut_title

_ANSWERS = ("Quote", "Perspective", "Memory")
_HASH = 8  # characters that are shown of a request's hash


def memory_report(title: str, held: Holding, memory: Memory, *, raw: bool) -> Report:
    """Return a memory with all its editions; with `raw`, with ids, questions and requests."""
    row = memory_row(held, memory)
    members = [held.by_id[name] for name in memory.members]
    about = [
        *(f"made of {_name(member, raw)}, {dates(member)}: {member.edition.tokens:,} tokens"
          for member in members),
        ", ".join(row.about) or "shown",
        *notes_of(memory),
    ]  # fmt: skip
    if raw and memory.keys:
        about.insert(0, f"from message {memory.keys[0]} to {memory.keys[-1]}")
    further = Step("Ids, questions and requests", f"show {held.chat_id} {row.name} --raw")
    return Report(
        _tables(memory, row.editions, about, raw=raw),
        heading="" if raw else f'"{cut_title(title)}"',
        next=() if raw else (further,),
        values={"chat_id": held.chat_id, **memory_data(row)},
    )


def shown_report(memory: Memory) -> Report:
    """Return a memory in the edition that is shown."""
    return Report(_tables(memory, [memory.edition]))


def _tables(
    memory: Memory,
    editions: Sequence[Edition],
    about: Sequence[str] = (),
    *,
    raw: bool = False,
) -> tuple[ReportTable[Memory], ReportTable[Edition]]:
    """Return a card of what is known of the memory, then one of each edition."""
    subject = subject_of(memory)
    name = capital(_name(memory, raw))
    messages = counted(len(memory.keys), "message")
    covers = (
        f"covers {messages}, {dates(memory)}: {memory.source_tokens:,} tokens are now "
        f"{memory.edition.tokens:,}"
    )
    who = f"{name}: {subject}" if subject else name
    head = Card(
        who,
        unmarked("\n".join(map(as_sentence, (covers, *about)))),
    )
    return (
        ReportTable("", [memory], card=lambda _: head),
        ReportTable(
            "", editions, card=lambda edition: _card(memory, edition, raw=raw), is_compared=True
        ),
    )


def _name(memory: Memory, raw: bool) -> str:
    return f"{called(memory)} ({memory.memory_id})" if raw else called(memory)


def _card(memory: Memory, edition: Edition, *, raw: bool) -> Card:
    """Return an edition: its quote, perspective and memory, or with `raw` all six messages."""
    marks = (
        "shown" if memory.edition.number == edition.number else "",
        "seen by later prompts" if memory.in_prompts.number == edition.number else "",
        f"{edition.tokens:,} tokens",
    )
    answers = map("{}\n{}".format, _ANSWERS, edition.texts[1::2])
    parts = map(_message, range(6), edition.texts) if raw else answers
    return Card(
        who=f"edition {edition.number}, {edition.kind}",
        text=tuple(Stretch(f"{part}\n\n", is_marked=False) for part in parts),
        at=edition.written_at,
        marks=tuple(filter(None, (*marks, _made_by(edition, raw=raw)))),
        notes=tuple(_sources(edition)) if raw else (),
    )


def _sources(edition: Edition) -> Iterator[str]:
    """Yield from which requests and messages an edition is."""
    if edition.requests:
        yield f"requests {', '.join(request[:_HASH] for request in edition.requests)}"
    yield from map(_about_quote, edition.quotes)


def _made_by(edition: Edition, *, raw: bool) -> str:
    """Say who wrote an edition; if `raw`, with the context manager."""
    models = edition.agent
    if raw:
        models = f"agent {edition.agent}, context manager {edition.context_manager}"
    if edition.kind == "person":
        return f"edited in TypingMind, after {models}"  # these two have written it first
    if edition.made == EXTRACTED:
        engine = "extracted from the conversation by the built-in engine"
        return f"{engine}: {models}" if raw else engine
    return f"written: {models}" if raw else f"written by {models}"


def _about_quote(quote: Quote) -> str:
    """Say where a quote is from, and who chose it."""
    source = f"message {quote.source}" if quote.source else "a message that is not known any more"
    length = counted(len(quote.text), "character")
    return f"the quote of {length} is from {source}, chosen by the {quote.chosen}"


def _message(slot: int, text: str) -> str:
    """Return one of the six messages, below a line that names its speaker."""
    head = f"--- agent {'-' * 20}" if slot % 2 else f"--- context manager {'-' * 10}"
    return f"{head}\n{text}"
