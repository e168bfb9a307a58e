"""Say which calls of models are in the journal, and what each cost."""

from dataclasses import asdict, dataclass

from daemon.archive.archive import Archive
from daemon.archive.journal import Reply, odd_usages, replies
from daemon.reports.report import Card, Column, Moment, Report, ReportTable, Step, unmarked

_REQUEST = 12  # characters that are shown of a request's hash


@dataclass(frozen=True, slots=True)
class CallRow:
    """A call in the journal; its counts are not shown where the provider's are impossible."""

    reply: Reply
    odd_usage: str
    """The usage that the provider has named, where it is impossible."""

    def count(self, tokens: int) -> str:
        """Return a count of tokens as it is shown."""
        return "?" if self.odd_usage else f"{tokens:,}"

    @property
    def ended(self) -> str:
        """Return why the answer ended, and by which try it came where that was not the first."""
        reply = self.reply
        return f"{reply.finish}, try {reply.tries}" if reply.tries > 1 else reply.finish

    @property
    def dollars(self) -> str:
        """Return what the call cost, as far as the price is known."""
        if self.reply.usd is None:
            return "unknown"
        return f"{self.reply.usd:.6f}" if self.reply.usd else "free"


_COLUMNS: tuple[Column[CallRow], ...] = (
    Column("Asked", lambda row: Moment(row.reply.asked_at)),
    Column("Step", lambda row: row.reply.step),
    Column("Model", lambda row: row.reply.model),
    Column("Ended", lambda row: row.ended, drop=3),
    Column("In", lambda row: row.count(row.reply.tokens_in), "number", drop=4),
    Column("Cached", lambda row: row.count(row.reply.tokens_cached), "number", drop=2),
    Column("Out", lambda row: row.count(row.reply.tokens_out), "number", drop=5),
    Column("Dollars", lambda row: row.dollars, "number"),
    Column("Request", lambda row: row.reply.request[:_REQUEST], drop=1),
)


def calls_report(archive: Archive, chat_id: str | None, *, with_text: bool) -> Report:
    """Return the calls in the journal, of all chats or of one, oldest first.

    The answers themselves are there only `with_text`.
    """
    odd = odd_usages(archive)
    rows = [CallRow(reply, odd.get(reply.request, "")) for reply in replies(archive, chat_id)]

    def data(row: CallRow) -> dict[str, object]:
        told = {**asdict(row.reply), "odd_usage": row.odd_usage}
        return told if with_text else {name: told[name] for name in told if name != "text"}

    none = f"No model was asked{' about this chat' if chat_id else ''} yet."
    next_steps = () if rows else (Step("What a run would ask, and its cost", "plan"),)
    columns, card = ((), _card) if with_text else (_COLUMNS, None)
    return Report((ReportTable("calls", rows, columns, none, card, data=data),), next=next_steps)


def _card(row: CallRow) -> Card:
    """Return a call with its answer."""
    reply = row.reply
    who = f"{reply.step}, {reply.model}"
    price = f"${row.dollars}" if reply.usd else row.dollars
    return Card(who, unmarked(reply.text), at=reply.asked_at, marks=(reply.finish, price))
