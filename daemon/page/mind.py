"""Show what the persona keeps in mind (core memory, facts, kept passages), and what it still knows.

Facts are shown with their history and their sources; passages with what waits for the user. The
evaluation is the newest one, with what it missed and the curve of the past ones.
"""

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.chats import persona_of
from daemon.archive.layers import core_events, fact_events
from daemon.archive.memories import memories
from daemon.archive.messages import read_words
from daemon.page.actions import finish_command, run_then_show
from daemon.page.app import desk_of, field, named_chat, render
from daemon.page.message_blocks import find_written
from daemon.reports.core_memory import core_history, core_report
from daemon.reports.evaluation import evaluation_report, history_report
from daemon.reports.facts import fact_history, facts_report
from daemon.reports.passages import passages_report
from rules.conversation.memory import memories_by_id


def core_page(request: Request) -> Response:
    """Show the core memory of a chat."""
    with named_chat(request) as (archive, known):
        return render(
            request,
            "core.html",
            chat=known,
            persona=persona_of(archive, known.chat_id),
            report=core_report(archive, desk_of(request).config, known),
            history=core_history(known, core_events(archive, known.chat_id)[::-1]),
        )


def facts_page(request: Request) -> Response:
    """Show the facts of a chat, newest first, each with its history."""
    with named_chat(request) as (archive, known):
        report = facts_report(archive, desk_of(request).config, known)
        events = fact_events(archive, known.chat_id)
    (by_date,) = report.tables
    facts = replace(by_date, rows=by_date.rows[::-1])
    histories = {
        fact.number: fact_history([event for event in events if event.fact == fact.number])
        for fact in facts.rows
    }
    return render(
        request, "facts.html", chat=known, report=report, facts=facts, histories=histories
    )


def kept_page(request: Request) -> Response:
    """Show the kept passages of a chat, oldest first, and what edited messages say now."""
    with named_chat(request) as (archive, known):
        report = passages_report(archive, desk_of(request).config, known)
        edited = [row.key for row in report.tables[0].rows if row.asks == "edited"]
        now = read_words(archive, known.chat_id, edited)
    return render(request, "kept.html", chat=known, report=report, now=now)


def post_keep(request: Request) -> Response:
    """Keep the marked part of a message, or all of it where nothing is marked.

    The marked text has lost its Markdown; it is kept as it was written.
    """
    words, key = field(request, "words").replace("\r\n", "\n"), field(request, "key")
    with named_chat(request) as (archive, known):
        message = read_words(archive, known.chat_id, [key]).get(key)
    if message:
        words = find_written(message.words, words)
    address = f"/chat/{known.chat_id}/kept"
    command = ("keep", "--message", key, "--", known.chat_id, words)
    return run_then_show(request, address, *command)


def evaluation_page(request: Request) -> Response:
    """Show the newest evaluation; where the persona was never asked, the free one."""
    with named_chat(request) as (archive, known):
        by_id = memories_by_id(memories(archive, known.chat_id))
    free = finish_command(request, "eval", "--free", "--again", "--", known.chat_id).printed
    shown = free.asked or free
    return render(
        request,
        "evaluation.html",
        chat=known,
        free=free,
        report=evaluation_report(shown, by_id),
        past=history_report(known.chat_id, free.past if len(free.past) > 1 else (), free),
    )
