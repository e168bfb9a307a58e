"""All that a server needs before it can answer; imported once, and there in each fork."""

from tests.server.server import ModelServer
from tests.server.tokens import count

__all__ = ["ModelServer"]
count("")
