"""`memproc facts CHAT`: what is known as facts, where each comes from, and your own hand in it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import click

from daemon.archive.chats import KnownChat, find_chat
from daemon.archive.fact_events import fact_events, keep_fact_events, next_fact, ranked
from daemon.chat.opening import facts_now
from daemon.cli.of_chat import About, OfChat, pass_about
from daemon.cli.settings import Settings, json_option
from daemon.cli.table import print_table
from daemon.cli.use import TO_SEE_IT
from daemon.context import tell_nobody
from daemon.files.clock import now
from daemon.status.sentences import printable_json, visible
from rules.errors import NotFound
from rules.layers.facts import Fact, FactEvent, normal

_number = click.argument("fact", metavar="ID", type=click.IntRange(min=1))


@click.group(cls=OfChat, shows="list")
@click.argument("chat")
@click.pass_context
def facts(ctx: click.Context, chat: str) -> None:
    """Show or change the facts of CHAT, named by its id or its title.

    Without a command they are listed.
    """
    ctx.obj = About(ctx.ensure_object(Settings), chat)


@facts.command("list")
@json_option
@pass_about
def list_(about: About, as_json: bool) -> int:
    """List what is true now, by date. The export shows as many of them as facts.budget holds."""
    with about.settings.archive() as archive:
        chat = find_chat(archive, about.wanted)
        known = facts_now(archive, chat.chat_id)
    by_date = sorted(known, key=lambda fact: (fact.said_at, fact.number))
    _print(by_date, as_json, f'"{chat.title}" has no facts yet.')
    return 0


@facts.command
@_number
@json_option
@pass_about
def history(about: About, fact: int, as_json: bool) -> int:
    """Show all that ever happened to the fact ID: what it said, from which message, and what took its place."""
    with about.settings.archive() as archive:
        chat = find_chat(archive, about.wanted)
        events = _of(chat, fact, fact_events(archive, chat.chat_id, forgotten=True))
    if as_json:
        click.echo(printable_json([asdict(event) for event in events]))
    for event in () if as_json else events:
        click.echo(visible("\n".join(_told(event))))
    return 0


@facts.command
@_number
@pass_about
def forget(about: About, fact: int) -> int:
    """Forget the fact ID: it is neither shown nor told any more, and never taken from the same message again."""
    with about.settings.house(tell_nobody) as house:
        chat = find_chat(house.archive, about.wanted)
        _of(chat, fact, fact_events(house.archive, chat.chat_id, forgotten=True))
        is_live = fact in {one.number for one in facts_now(house.archive, chat.chat_id)}
        if is_live:
            event = FactEvent(fact, "FORGET", "", "", "", "person", why="forgotten at the command line")
            keep_fact_events(house.archive, chat.chat_id, [event], now())
    about.settings.say(f"Fact {fact} is forgotten." if is_live else f"Nothing to do: fact {fact} is not true any more.")
    about.settings.say(TO_SEE_IT)
    return 0


@facts.command
@click.argument("text")
@pass_about
def add(about: About, text: str) -> int:
    """Add TEXT as a fact, of today."""
    said = " ".join(text.split())
    if not said:
        raise click.UsageError("A fact needs words.")
    with about.settings.house(tell_nobody) as house:
        chat = find_chat(house.archive, about.wanted)
        there = [one for one in facts_now(house.archive, chat.chat_id) if normal(one.text) == normal(said)]
        number = there[0].number if there else next_fact(house.archive, chat.chat_id)
        if not there:
            when = now()
            event = FactEvent(number, "ADD", said, when, "", "person", why="added at the command line")
            keep_fact_events(house.archive, chat.chat_id, [event], when)
    about.settings.say(f"Nothing to do: fact {number} says so already." if there else f"Added as fact {number}.")
    about.settings.say(TO_SEE_IT)
    return 0


@facts.command
@click.argument("words", nargs=-1, required=True)
@json_option
@pass_about
def search(about: About, words: tuple[str, ...], as_json: bool) -> int:
    """Search WORDS in what is true now, the best match first."""
    with about.settings.archive() as archive:
        chat = find_chat(archive, about.wanted)
        known = facts_now(archive, chat.chat_id)
    found = [known[at] for at in ranked([fact.text for fact in known], " ".join(words))]
    _print(found, as_json, f'No fact of "{chat.title}" has these words.')
    return 0


def _print(found: Sequence[Fact], as_json: bool, nothing: str) -> None:
    if as_json:
        click.echo(printable_json([asdict(fact) for fact in found]))
    elif not found:
        click.echo(visible(nothing))
    else:
        rows = [(str(one.number), one.said_at[:10], one.text, str(one.confirmed), one.by) for one in found]
        print_table(("Id", "Said on", "Fact", "Confirmed", "By"), rows, right=(0, 3))


def _of(chat: KnownChat, number: int, events: Sequence[FactEvent]) -> Sequence[FactEvent]:
    """What happened to one fact. Raises NotFound."""
    found = [event for event in events if event.fact == number]
    if not found:
        raise NotFound(
            f'"{chat.title}" never had a fact {number}.', f"List its facts with: memproc facts {chat.chat_id}"
        )
    return found


def _told(event: FactEvent) -> Iterator[str]:
    by = "you" if event.by == "person" else f"the context manager, from the chunk of memory {event.memory}"
    source = f", message {event.source}" if event.source else ""
    yield f"{event.at}: {event.event} by {by}{source}{f': {event.why}' if event.why else ''}"
    if event.text:
        yield f"    {event.said_at[:10] or 'some day'}: {event.text}"
