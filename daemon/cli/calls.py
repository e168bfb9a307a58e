"""List what models were asked, when, and what it cost: `memproc calls`."""

from collections.abc import Mapping
from dataclasses import asdict

import click

from daemon.archive.chats import find_chat
from daemon.archive.journal import (
    Reply,
    odd_usages,
    replies,
)
from daemon.cli.printing import moment, paged, print_json, print_table
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.status.printable import visible
from primer.models import EXTRACTIVE

_HEADINGS = (
    "Asked",
    "Step",
    "Model",
    "Ended",
    "In",
    "Cached",
    "Out",
    "Dollars",
    "Request",
)


@click.command
@click.argument("chat", required=False)
@click.option("--text", "with_text", is_flag=True, help="Print the answers too.")
@json_option
@pass_settings
def calls_command(settings: Settings, chat: str | None, with_text: bool, as_json: bool) -> None:
    """List the calls in the journal, of all chats or of CHAT, oldest first."""
    with settings.archive() as archive:
        kept = replies(archive, find_chat(archive, chat).chat_id if chat else None)
        odd = odd_usages(archive)
    # The built-in engine is no model, and makes no calls.
    journal = [reply for reply in kept if reply.model != EXTRACTIVE]
    rows = [_call_row(reply, odd) for reply in journal]
    if as_json:
        print_json(
            [_call_as_json(reply, odd.get(reply.request, ""), with_text) for reply in journal]
        )
    elif with_text:
        parts = (
            f"--- {'  '.join(row)}\n{reply.text}\n"
            for row, reply in zip(rows, journal, strict=True)
        )
        paged(visible("\n".join(parts)))
    else:
        print_table(_HEADINGS, rows, right=(4, 5, 6, 7), prose=(), drop=(8, 5, 3, 4, 6), pages=True)


def _call_as_json(reply: Reply, odd_usage: str, with_text: bool) -> dict[str, object]:
    """Return a call for programs: its answer only `with_text`, and any impossible usage."""
    row = {key: value for key, value in asdict(reply).items() if with_text or key != "text"}
    return {**row, "odd_usage": odd_usage}


def _call_row(reply: Reply, odd: Mapping[str, str]) -> list[str]:
    """Return a call's cells; counts are question marks where the provider's are impossible."""
    counts = (reply.tokens_in, reply.tokens_cached, reply.tokens_out)
    tokens = ["?" if reply.request in odd else f"{count:,}" for count in counts]
    money = "unknown" if reply.usd is None else f"{reply.usd:.6f}"
    begin = [moment(reply.asked_at), reply.step, reply.model, reply.finish]
    return [*begin, *tokens, money, reply.request[:12]]
