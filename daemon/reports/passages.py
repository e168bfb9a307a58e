"""Report a chat's kept passages, those that wait, and what the person is asked about them."""

from collections.abc import Iterator, Sequence
from functools import partial

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, known_chat, persona_of
from daemon.archive.keeping import kept_passages
from daemon.archive.pressed import pressed_lines
from daemon.chat.holding import holding
from daemon.config.settings import Config
from daemon.reports.report import Card, Column, Report, ReportTable, Step, unmarked, where_said
from rules.conversation.kept_wishes import find_open_wishes
from rules.conversation.memory import Wish
from rules.layers.kept_passages import KeptPassage, how_full, in_order, notes_on, released_wishes
from rules.wording import about_it, cut_title

_MOST_OPEN = 10
"""The most wishes and promises that are shown as open: the newest ones."""


def passages_report(archive: Archive, config: Config, chat: KnownChat) -> Report:
    """Return a chat's unreleased passages, and its open wishes and promises, oldest first."""
    passages, persona = kept_passages(archive, chat.chat_id), persona_of(archive, chat.chat_id)
    budget = config.of(known_chat(archive, chat.chat_id)).keep.budget
    listed = in_order(passages)
    open_wishes = find_open_wishes(
        holding(archive, config, chat.chat_id).shown, released_wishes(passages)
    )
    none = f'Nothing of "{cut_title(chat.title)}" is kept word for word.'
    table = ReportTable(
        "passages",
        listed,
        _columns(persona),
        none,
        partial(_card, chat, persona),
        partial(passage_steps, chat),
    )
    keep = Step("To keep something that was said", f'keep {chat.chat_id} "ITS WORDS"')
    done = Step("When something open is done", f'release {chat.chat_id} "ITS WORDS"')
    return Report(
        (
            table,
            ReportTable("", open_wishes[-_MOST_OPEN:], _open_columns(persona)),
            ReportTable("open", open_wishes),
        ),
        notes=tuple(_notes(chat, listed, budget, len(open_wishes) - _MOST_OPEN)),
        pressed=tuple(pressed_lines(archive, chat.chat_id, "keep", "release")),
        next=(*([] if listed else [keep]), *([done] if open_wishes else [])),
    )


def _columns(persona: str) -> Sequence[Column[KeptPassage]]:
    return (
        Column("Id", lambda passage: passage.number, "number"),
        Column("Said on", lambda passage: passage.said_at[:10]),
        Column("By", lambda passage: _speaker(passage, persona)),
        Column("Words", lambda passage: " ".join(passage.text.split()), "prose"),
        Column("Tokens", lambda passage: passage.tokens, "number", drop=1),
        Column("State", lambda passage: passage.state),
    )


def _open_columns(persona: str) -> Sequence[Column[Wish]]:
    return (
        Column("Open since", lambda wish: wish.day),
        Column("By", lambda wish: persona if wish.kind == "promise" else "you"),
        Column("Words", lambda wish: " ".join(wish.text.split()), "prose"),
    )


def _speaker(passage: KeptPassage, persona: str) -> str:
    return "you" if passage.speaker == "user" else persona


def _card(chat: KnownChat, persona: str, passage: KeptPassage) -> Card:
    """Return a passage with its state and all that is to be decided about it."""
    notes = [about_it(note, passage.called) for note in notes_on(passage)]
    if passage.state == "offered" and passage.by == "persona" and passage.reason:
        notes.append(f"{persona} says why: {passage.reason}")
    return Card(
        who=f"passage {passage.number}, {_speaker(passage, persona)}",
        text=unmarked(passage.text),
        said_at=passage.said_at,
        marks=(passage.state,),
        notes=(*notes, f"{passage.tokens:,} tokens"),
        sources=(where_said(chat, passage.key),) if passage.key else (),
    )


def passage_steps(chat: KnownChat, passage: KeptPassage) -> tuple[Step, ...]:
    """Return what the person can say of a passage: keep it, where that is asked, or let it go."""
    address, number = f"/chat/{chat.chat_id}/kept/{passage.number}", passage.number
    is_offered = passage.state == "offered"
    keep, let_it_go = ("Keep it", "No, let it go") if is_offered else (
        "Keep it as it was said", "Release it"
    )  # fmt: skip
    release = Step(let_it_go, f"release {chat.chat_id} {number}", f"{address}/release")
    if is_offered or passage.asks:
        return Step(keep, f"keep {chat.chat_id} --yes {number}", f"{address}/yes"), release
    return (release,)


def _notes(
    chat: KnownChat, listed: Sequence[KeptPassage], budget: int, older: int
) -> Iterator[str]:
    """Yield what there is to know of the passages; `older` is how many open ones are not shown."""
    if listed:
        yield f"kept word for word: {how_full(listed, budget)}"
    for passage in listed:
        yield from notes_on(passage)
    if any(passage.state == "kept" for passage in listed):
        yield "the opening lacks those that the live tail still shows"
    if older > 0:
        yield f"{older:,} more are open since earlier: memproc keep {chat.chat_id} --json"
