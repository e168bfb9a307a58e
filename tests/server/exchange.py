"""One request and what becomes of it: read, admitted, answered by the script, sent, and put on the bill."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import accumulate
from typing import Any, Protocol

from tests.server.dialects.dialect import Dialect
from tests.server.entries import Entries
from tests.server.limits import Gate
from tests.server.log import Log
from tests.server.models import Model
from tests.server.reply import Answer, Call, Drop, Failure, Hang, Malformed, Rejected, Reply
from tests.server.request import Request
from tests.server.setup import Setup
from tests.server.step import read_task
from tests.server.tokens import count, first
from tests.server.usage import Usage


class Wire(Protocol):
    """What an exchange does to its connection."""

    def say(self, status: int, body: Mapping[str, Any], retry_after: int | None = None) -> None:
        """Answer with a whole body of JSON."""

    def tell(self, headers: Mapping[str, str]) -> None:
        """Send these headers too, whatever is answered next."""

    def garble(self) -> None:
        """Answer with status 200 and no JSON."""

    def stream(self, media_type: str, events: Iterator[bytes]) -> None:
        """Answer piece by piece."""

    def drop(self, body: Mapping[str, Any]) -> None:
        """Answer half of the body, and close the connection."""

    def drop_stream(self, media_type: str, events: Iterator[bytes]) -> None:
        """Answer half of the pieces, and close the connection."""


@dataclass(frozen=True, slots=True)
class World:
    """What all exchanges of a server share."""

    setup: Setup
    entries: Entries
    log: Log
    requests: list[Request]
    closing: threading.Event
    gate: Gate


def exchange(
    world: World, dialect: Dialect, headers: Mapping[str, str], body: Mapping[str, Any], wire: Wire
) -> None:
    """See one request through. ConnectionError where the client is gone before the last byte."""
    try:
        request = dialect.read(body, headers)
    except Rejected as rejected:
        world.log.note("rejected", fault=str(rejected.failure.status), message=str(rejected))
        wire.say(rejected.failure.status, dialect.error(rejected.failure))
        return
    request = arrived(world, request)
    try:
        model = admit(world.setup, dialect, headers, request)
        request = dialect.admit(request, model)
        sight = dialect.look(request, model, world.entries)
        world.gate.enter(sight.fresh + sight.written + sight.read, request.max_tokens or 0)
    except Rejected as rejected:
        wire.tell(world.gate.headers(dialect.name))
        _fail(world, dialect, request, rejected.failure, wire)
        return
    reply: Reply = world.setup.script(request)
    if isinstance(reply, Answer | Drop):
        answer = within_room(reply.answer if isinstance(reply, Drop) else reply, request.max_tokens)
        world.closing.wait(world.setup.seconds + answer.seconds)
        world.entries.use(sight.entries)
        usage = Usage(sight.fresh, sight.written, sight.read, length(answer))
        _send(world, dialect, request, answer, usage, isinstance(reply, Drop), wire)
        return
    _fail(world, dialect, request, reply, wire)


def admit(setup: Setup, dialect: Dialect, headers: Mapping[str, str], request: Request) -> Model:
    """The model that is asked. Refused where the key is wrong, or nobody knows the model."""
    check_key(setup, dialect, headers)
    model = setup.models.get(request.model)
    if model is None:
        raise Rejected(Failure(404, "not_found_error", f"model: {request.model} not found"))
    return model


def check_key(setup: Setup, dialect: Dialect, headers: Mapping[str, str]) -> None:
    """Refused where the dialect asks for a key, and it is not the right one."""
    if setup.own is None and dialect.key is not None and dialect.key(headers) != setup.key:
        raise Rejected(Failure(401, "authentication_error", "This key is not valid."))


def arrived(world: World, request: Request, **more: Any) -> Request:
    """The request, noted, with its numbers."""
    body = {"body": request.body} if world.setup.bodies else {}
    facts = {
        "model": request.model,
        "dialect": request.dialect,
        "step": read_task(request).step,
        **body,
        **more,
    }
    number, attempt = world.log.arrived(request.key, **facts)
    request = replace(request, number=number, attempt=attempt)
    world.requests.append(request)
    return request


def length(answer: Answer) -> int:
    """How many tokens of output an answer has."""
    return count(answer.text) + count(answer.thinking) + sum(map(_call_length, answer.calls))


def _call_length(call: Call) -> int:
    return count(call.name) + count(call.arguments)


def within_room(answer: Answer, room: int | None) -> Answer:
    """The answer as far as max_tokens goes. Thinking takes its share of them first; of calls, whole ones are left."""
    if room is None or length(answer) <= room:
        return answer
    thinking = first(answer.thinking, room)
    text = first(answer.text, room - count(thinking))
    left = room - count(thinking) - count(text)
    ends = accumulate(map(_call_length, answer.calls))
    calls = tuple(call for call, end in zip(answer.calls, ends, strict=True) if end <= left)
    return replace(answer, thinking=thinking, text=text, calls=calls, ending="cut off")


def _send(
    world: World,
    dialect: Dialect,
    request: Request,
    answer: Answer,
    usage: Usage,
    drop: bool,
    wire: Wire,
) -> None:
    """Send an answer. It is on the bill before the client can have seen its last byte."""
    wire.tell(world.gate.headers(dialect.name))
    bill = {
        "number": request.number,
        "key": request.key,
        "usage": asdict(usage),
        "ending": answer.ending,
    }
    world.log.note("lost" if drop else "answered", **bill)
    try:
        if request.stream:
            send = wire.drop_stream if drop else wire.stream
            send(dialect.streams, dialect.events(request, answer, usage))
        elif drop:
            wire.drop(dialect.whole(request, answer, usage))
        else:
            wire.say(200, dialect.whole(request, answer, usage))
    except ConnectionError:
        world.log.note("lost", **bill)
        raise


def _fail(
    world: World, dialect: Dialect, request: Request, reply: Failure | Hang | Malformed, wire: Wire
) -> None:
    fault = str(reply.status) if isinstance(reply, Failure) else type(reply).__name__.lower()
    world.log.note("failed", number=request.number, key=request.key, fault=fault)
    if isinstance(reply, Failure):
        wire.say(reply.status, dialect.error(reply), reply.retry_after)
    elif isinstance(reply, Malformed):
        wire.garble() if reply.body is None else wire.say(200, reply.body)
    else:
        world.closing.wait()
