"""One call to one model, as data: what is sent, and the hash under which its reply is kept (D15)."""

import hashlib
import json
from dataclasses import dataclass

from primer.prompt import Turn

EXTRACTIVE = "memproc/extractive"
_TOKENS_A_WORD = 4


@dataclass(frozen=True, slots=True)
class Request:
    """`step` is quote, perspective, analysis or refinement; `words` is how long the answer may about be."""

    step: str
    model: str
    turns: tuple[Turn, ...]
    words: int

    @property
    def parameters(self) -> dict[str, int | str]:
        """What goes with the messages. Room for four tokens a word bounds what an answer can cost (D15).

        The built-in engine reads no questions, so it is told the step and the length instead.
        """
        if self.model == EXTRACTIVE:
            return {"step": self.step, "words": self.words}
        return {"max_tokens": 200 + self.words * _TOKENS_A_WORD}

    @property
    def messages(self) -> list[dict[str, str]]:
        """The turns as LiteLLM takes them."""
        return [{"role": turn.role, "content": turn.content} for turn in self.turns]

    @property
    def key(self) -> str:
        """SHA-256 of model, messages and parameters: the same request is never sent twice."""
        said = [self.model, self.messages, self.parameters]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
