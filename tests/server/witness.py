"""A script that remembers what it decided for each request: what was wrong with an answer stands in no log."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.server.reply import Answer, Reply, Script
from tests.server.request import Request


@dataclass
class Witness:
    """Answers as `script` does, and keeps every request with its reply, in the order of the decisions."""

    script: Script
    replies: list[tuple[Request, Reply]] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        """What the script answers."""
        reply = self.script(request)
        self.replies.append((request, reply))
        return reply

    def answers(self) -> Iterator[tuple[Request, Answer]]:
        """The answers that were sent whole, good and bad."""
        return ((request, reply) for request, reply in self.replies if isinstance(reply, Answer))
