"""A server on one's own machine: it tells of itself in the way of llama.cpp, Ollama or LM Studio, and wants no key."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.server.reply import Answer
from tests.server.request import Request
from tests.server.scribe import scribe

Kind = Literal["llama.cpp", "ollama", "lm-studio"]
GOOD = """\
1. "It was never only a ring, and I can hear how much of her you carried on that finger."
2. You
3. I
4. You
5. I"""
STUPID = """\
1. I never lost the silver ring of my grandmother.
2. I
3. You
4. The assistant
5. You"""
_TRIAL = "This is a trial."


@dataclass(frozen=True, slots=True)
class Own:
    """What the server tells of itself: its model, the tokens of one call there, how many it answers at once.

    `read` and `written` are the tokens a second that it says it reads and writes; 0: it does not say.
    """

    kind: Kind
    model: str
    window: int
    slots: int = 1
    read: float = 400.0
    written: float = 20.0
    others: tuple[str, ...] = ()
    """Further models, which are not loaded."""
    keys: list[str] = field(default_factory=list)
    """Every key that was sent, by any request."""
    asked: list[str] = field(default_factory=list)
    """The path of every request."""

    def note(self, path: str, headers: Mapping[str, str]) -> None:
        """Note a request, and the key that came with it."""
        self.asked.append(path.partition("?")[0])
        names = ("authorization", "x-api-key", "api-key")
        self.keys.extend(headers[name] for name in names if name in headers)

    def tell(self, path: str) -> Mapping[str, Any] | None:
        """What the server says of itself at a path, or None where there is nothing."""
        return self._paths().get(path.partition("?")[0])

    def _paths(self) -> Mapping[str, Mapping[str, Any]]:
        names = (self.model, *self.others)
        listed = [{"id": name, "object": "model"} for name in names]
        models = {"object": "list", "data": listed}
        if self.kind == "llama.cpp":
            settings = {"id": 0, "n_ctx": self.window, "params": {}}
            props = {"default_generation_settings": settings, "total_slots": self.slots}
            shim = {"models": [{"name": self.model, "model": self.model}]}
            return {"/props": props, "/v1/models": models, "/api/tags": shim}
        if self.kind == "ollama":
            tags = {"models": [{"name": name, "model": name, "details": {}} for name in names]}
            loaded = {"name": self.model, "model": self.model, "context_length": self.window}
            show = {
                "parameters": 'stop  "<|im_end|>"',
                "model_info": {"qwen2.context_length": 32768},
            }
            return {
                "/api/tags": tags,
                "/api/ps": {"models": [loaded]},
                "/api/show": show,
                "/v1/models": models,
            }
        states = [
            {
                "id": self.model,
                "type": "llm",
                "state": "loaded",
                "max_context_length": 131_072,
                "loaded_context_length": self.window,
            },
            {
                "id": "nomic",
                "type": "embeddings",
                "state": "not-loaded",
                "max_context_length": 2048,
            },
        ]
        return {"/api/v0/models": {"object": "list", "data": states}, "/v1/models": models}

    def timed(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """An answer with how fast it was, where the server says that."""
        if not self.read or ("choices" not in body and "message" not in body):
            return body
        if self.kind == "llama.cpp":
            timings = {"prompt_per_second": self.read, "predicted_per_second": self.written}
            return {**body, "timings": timings}
        if self.kind == "ollama":
            durations = {
                f"{what}_duration": int(body[f"{what}_count"] / speed * 1e9)
                for what, speed in (("prompt_eval", self.read), ("eval", self.written))
            }
            return {**body, **durations}
        if not path.startswith("/api/v0/"):
            return {**body, "stats": {}}
        seconds = body["usage"]["prompt_tokens"] / self.read
        stats = {"tokens_per_second": self.written, "time_to_first_token": seconds}
        return {**body, "stats": stats}


def is_trial(request: Request) -> bool:
    """Whether a request is the trial of a model."""
    return _TRIAL in request.turns[-1].text


def clever(request: Request) -> Answer:
    """A model that passes its trial."""
    return Answer(GOOD) if is_trial(request) else scribe(request)


def stupid(request: Request) -> Answer:
    """A model that misses its trial, though it answers all else."""
    return Answer(STUPID) if is_trial(request) else scribe(request)
