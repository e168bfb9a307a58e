"""List the calls of models in the journal, with what each cost: `memproc calls`."""

from collections.abc import Mapping
from dataclasses import asdict

import click

from daemon.archive.chats import find_chat
from daemon.archive.journal import Reply, odd_usages, replies
from daemon.cli.printing import moment, paged, print_json, print_table
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.status.printable import visible

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
_REQUEST = 12  # characters that are shown of a request's hash


@click.command
@click.argument("chat", required=False)
@click.option("--text", "with_text", is_flag=True, help="Print the answers too.")
@json_option
@pass_settings
def calls_command(settings: Settings, chat: str | None, with_text: bool, as_json: bool) -> None:
    """List the calls in the journal, of all chats or of CHAT, oldest first."""
    with settings.archive() as archive:
        journal = replies(archive, find_chat(archive, chat, "part").chat_id if chat else None)
        odd = odd_usages(archive)
    if as_json:
        print_json({"calls": [_call_as_json(reply, odd, with_text) for reply in journal]})
        return
    if not journal:
        about = " about this chat" if chat else ""
        settings.say(
            f"No model was asked{about} yet. What a run would ask, and its cost: memproc plan"
        )
        return
    rows = [_call_row(reply, odd) for reply in journal]
    if with_text:
        answers = []
        for row, reply in zip(rows, journal, strict=True):
            head = "  ".join(row)
            answers.append(f"--- {head}\n{reply.text}\n")
        paged(visible("\n".join(answers)))
        return
    print_table(_HEADINGS, rows, right=(4, 5, 6, 7), prose=(), drop=(8, 5, 3, 4, 6))


def _call_as_json(reply: Reply, odd: Mapping[str, str], with_text: bool) -> dict[str, object]:
    """Return a call for programs: its answer only `with_text`, and any impossible usage."""
    row = asdict(reply)
    if not with_text:
        del row["text"]
    row["odd_usage"] = odd.get(reply.request, "")
    return row


def _call_row(reply: Reply, odd: Mapping[str, str]) -> list[str]:
    """Return a call's cells; counts are question marks where the provider's are impossible."""
    begin = [moment(reply.asked_at), reply.step, reply.model, reply.finish]
    counts = (reply.tokens_in, reply.tokens_cached, reply.tokens_out)
    is_odd = reply.request in odd
    tokens = ["?" if is_odd else f"{count:,}" for count in counts]
    money = "unknown" if reply.usd is None else f"{reply.usd:.6f}"
    return [*begin, *tokens, money, reply.request[:_REQUEST]]
