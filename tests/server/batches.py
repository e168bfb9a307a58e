"""Message Batches: requests that arrive together, are answered together when the batch ends, and cost half.

A batch ends when it has been looked at `polls` times after its creation, by itself or in a list. Only then is what
each request costs known, and on the bill. State lives as long as the server does.
"""

import hashlib
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.server.batching import Batching
from tests.server.dialects.anthropic import ANTHROPIC
from tests.server.dialects.dialect import Headers
from tests.server.exchange import World, admit, arrived, length, within_room
from tests.server.reply import Answer, Drop, Failure, Rejected, invalid
from tests.server.usage import Usage

_CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass
class _Batch:
    name: str
    created_at: str
    requests: Mapping[str, Mapping[str, Any]]
    headers: Headers
    looks: int = 0
    canceled: bool = False
    results: list[dict[str, Any]] | None = None

    def shown(self) -> dict[str, Any]:
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        for result in self.results or ():
            counts[result["result"]["type"]] += 1
        if self.results is None:
            counts["processing"] = len(self.requests)
        ended = self.results is not None
        return {
            "id": self.name,
            "type": "message_batch",
            "processing_status": "ended"
            if ended
            else "canceling"
            if self.canceled
            else "in_progress",
            "request_counts": counts,
            "created_at": self.created_at,
            "results_url": f"https://elsewhere.example/v1/messages/batches/{self.name}/results"
            if ended
            else None,
        }


@dataclass
class Batches:
    """All batches of a server."""

    world: World
    settings: Batching
    creations: int = 0
    _all: list[_Batch] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def create(self, headers: Headers, body: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
        """The new batch, and whether the client is to hear of it. Rejected where it is none."""
        with self._lock:
            self._check(headers)
            requests = _requests(body)
            self.creations += 1
            times, seconds = self.settings.busy
            if self.creations <= times:
                raise Rejected(Failure(429, "rate_limit_error", "Too many.", retry_after=seconds))
            number = len(self._all) + 1
            created = datetime(2026, 11, 21, tzinfo=UTC) + timedelta(seconds=number)
            made = _Batch(f"msgbatch_{number:04}", created.isoformat(), requests, headers)
            self._all.append(made)
            self.world.log.note("batch", name=made.name, requests=len(requests))
            return made.shown(), self.creations not in self.settings.lost

    def newest(self, headers: Headers, limit: int, after: str) -> dict[str, Any]:
        """A page of the list, newest first."""
        with self._lock:
            self._check(headers)
            listed = list(reversed(self._all))
            begin = next((at + 1 for at, one in enumerate(listed) if one.name == after), 0)
            page = listed[begin : begin + limit]
            for batch in page:
                self._look(batch)
            return {
                "data": [batch.shown() for batch in page],
                "has_more": begin + limit < len(listed),
                "first_id": page[0].name if page else None,
                "last_id": page[-1].name if page else None,
            }

    def one(self, headers: Headers, name: str) -> dict[str, Any]:
        """One batch."""
        with self._lock:
            batch = self._named(headers, name)
            self._look(batch)
            return batch.shown()

    def cancel(self, headers: Headers, name: str) -> dict[str, Any]:
        """The same, from now on to be canceled."""
        with self._lock:
            batch = self._named(headers, name)
            batch.canceled = True
            return batch.shown()

    def results(self, headers: Headers, name: str) -> Sequence[Mapping[str, Any]]:
        """What came of each request, not in the order in which they were sent."""
        with self._lock:
            batch = self._named(headers, name)
            if batch.results is None:
                raise Rejected(Failure(404, "not_found_error", "This batch has no results yet."))
            return sorted(batch.results, key=lambda result: str(result["custom_id"]))

    def _named(self, headers: Headers, name: str) -> _Batch:
        self._check(headers)
        found = next((batch for batch in self._all if batch.name == name), None)
        if found is None:
            raise Rejected(Failure(404, "not_found_error", "There is no such batch."))
        return found

    def _check(self, headers: Headers) -> None:
        if headers.get("x-api-key") != self.world.setup.key:
            raise Rejected(Failure(401, "authentication_error", "This key is not valid."))
        if "anthropic-version" not in headers:
            raise invalid("anthropic-version: header is required")
        if self.settings.refused:
            raise Rejected(
                Failure(self.settings.refused, "not_found_error", "There are no batches here.")
            )

    def _look(self, batch: _Batch) -> None:
        batch.looks += 1
        if batch.results is None and (batch.looks >= self.settings.polls or batch.canceled):
            batch.results = list(self._ended(batch))

    def _ended(self, batch: _Batch) -> Iterator[dict[str, Any]]:
        for custom_id, params in batch.requests.items():
            if batch.canceled:
                result: dict[str, Any] = {"type": "canceled"}
            elif self._expires(custom_id):
                result = {"type": "expired"}
            else:
                result = self._answered(batch, params)
            yield {"custom_id": custom_id, "result": result}

    def _expires(self, custom_id: str) -> bool:
        drawn = hashlib.sha256(f"expires {custom_id}".encode()).digest()
        return int.from_bytes(drawn[:8]) / 2**64 < self.settings.expired

    def _answered(self, batch: _Batch, params: Mapping[str, Any]) -> dict[str, Any]:
        world = self.world
        try:
            request = ANTHROPIC.read(params, batch.headers)
            request = arrived(world, request, batch=batch.name)
            model = admit(world.setup, ANTHROPIC, batch.headers, request)
            request = ANTHROPIC.admit(request, model)
            sight = ANTHROPIC.look(request, model, world.entries)
        except Rejected as rejected:
            world.log.note("rejected", fault=str(rejected.failure.status), message=str(rejected))
            return {"type": "errored", "error": ANTHROPIC.error(rejected.failure)}
        reply = world.setup.script(request)
        if not isinstance(reply, Answer | Drop):
            failure = (
                reply
                if isinstance(reply, Failure)
                else Failure(500, "api_error", "Something went wrong.")
            )
            world.log.note(
                "failed", number=request.number, key=request.key, fault=str(failure.status)
            )
            return {"type": "errored", "error": ANTHROPIC.error(failure)}
        answer = within_room(reply.answer if isinstance(reply, Drop) else reply, request.max_tokens)
        world.entries.use(sight.entries)
        usage = Usage(sight.fresh, sight.written, sight.read, length(answer))
        world.log.note(
            "answered",
            number=request.number,
            key=request.key,
            usage=asdict(usage),
            ending=answer.ending,
            batched=True,
        )
        return {"type": "succeeded", "message": ANTHROPIC.whole(request, answer, usage)}


def _requests(body: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    asked = body.get("requests")
    if not isinstance(asked, list) or not asked or body.keys() != {"requests"}:
        raise invalid("requests: at least one request is required")
    found: dict[str, Mapping[str, Any]] = {}
    for at, one in enumerate(asked):
        custom_id, params = one.get("custom_id"), one.get("params")
        if (
            not isinstance(custom_id, str)
            or not _CUSTOM_ID.fullmatch(custom_id)
            or custom_id in found
        ):
            raise invalid(
                f"requests.{at}.custom_id: must be unique, and match {_CUSTOM_ID.pattern}"
            )
        if not isinstance(params, dict) or params.get("stream"):
            raise invalid(f"requests.{at}.params: must be the parameters of a message")
        found[custom_id] = params
    return found
