"""Asks the server as memproc does: memproc's own prompts for one chunk, sent by LiteLLM."""

import json
import os
from collections.abc import Sequence
from itertools import cycle
from typing import Any

from daemon.config.loading import load_texts
from primer import prompt
from primer.prompt import Turn, define_tool
from primer.wording import fill, keep_inert, wrap
from rules.conversation.history import Entry
from tests.entries import memory_of, talk
from tests.server.editing import APPEND
from tests.server.server import ModelServer
from tests.server.setup import KEY

TEXTS = load_texts(None)
TOLD = (
    "My sister Ilse moves to Porto on 14 May 2026. The flat there has four rooms, and she asked me to help.",
    "Then we plan the drive together. I would leave on Monday, since the van is only free until Thursday.",
    "Her daughter Nora is afraid of the long drive. She has been ill since March, and nobody tells her why.",
    "I noticed how quietly you wrote that. What would Nora want to hear from you before she gets into the van?",
    "That we come back every summer, I think. And that the piano comes along, all 200 kilograms of it!",
    "So the promise is summer, and the piano is its proof. Let us ask Ilse about the stairs before Friday.",
)
EARLIER = talk("An old question about bread.", "An old answer about rye and water.")
CHUNK = talk(*TOLD)
WORDS = 60
TOOLS = [
    define_tool(
        APPEND, "Adds to a section.", {"name": "Of the section.", "content": "What is added."}
    )
]


def context(chunk: tuple[Entry, ...] = CHUNK) -> tuple[Turn, ...]:
    """What the agent is shown: a memory, a tail and a chunk."""
    return prompt.agent_context(TEXTS, "You are Aria.", [memory_of(1, EARLIER)], EARLIER, chunk)


def asking_quote(chunk: tuple[Entry, ...] = CHUNK) -> list[dict[str, str]]:
    """The first question."""
    return messages(*context(chunk), prompt.question(prompt.fill_length(TEXTS.quote, 20)))


def asking_again(answered: str) -> list[dict[str, str]]:
    """The first question once more."""
    again = prompt.question(fill(TEXTS.quote_again, reason="It stands nowhere."))
    return [*asking_quote(), *messages(prompt.answer(answered), again)]


def asking_perspective(quote: str, chunk: tuple[Entry, ...] = CHUNK) -> list[dict[str, str]]:
    """The second question."""
    asked = prompt.question(
        prompt.pose_question(
            TEXTS, "perspective", prompt.fill_length(TEXTS.perspective, WORDS), WORDS
        )
    )
    return [*asking_quote(chunk), *messages(prompt.answer(quote), asked)]


def asking_analysis(chunk: tuple[Entry, ...] = CHUNK) -> list[dict[str, str]]:
    """The context manager's own question."""
    return messages(
        *prompt.passage_alone(TEXTS, chunk), Turn("user", prompt.fill_length(TEXTS.analysis, WORDS))
    )


def asking_refinement(quote: str, perspective: str, analysis: str) -> list[dict[str, str]]:
    """The third question."""
    refinement = prompt.question(
        prompt.pose_question(TEXTS, "refinement", refinement_question(analysis, WORDS), WORDS)
    )
    return [*asking_perspective(quote), *messages(prompt.answer(perspective), refinement)]


def refinement_question(analysis: str, words: int) -> str:
    """Its words, without a tag."""
    return fill(TEXTS.refinement, analysis=keep_inert(analysis), words=str(words))


def asking_core(shown: str = "## human\n[empty]") -> list[dict[str, Any]]:
    """The question about the core memory, behind a whole memory; it shows these sections."""
    asked = prompt.question(f"{shown}\n\nEdit with {APPEND}, or change nothing.")
    return [
        *asking_refinement(TOLD[5], "I see.", "It goes so."),
        *messages(prompt.answer("I keep this."), asked),
    ]


def asking_core_again(result: str = "Not done. There is no such section.") -> list[dict[str, Any]]:
    """The same once more, behind a call and its result."""
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": APPEND, "arguments": '{"name": "weather"}'},
    }
    calling = {"role": "assistant", "content": "", "tool_calls": [call]}
    return [*asking_core(), calling, {"role": "tool", "tool_call_id": "call_1", "content": result}]


def asking_facts(known: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The context manager's question about the facts of a passage whose messages are numbered."""
    said = [
        wrap("to_remember", text, role=role, date="2026-03-02T10:15:00.000Z", message=str(number))
        for number, (role, text) in enumerate(zip(cycle(("user", "assistant")), TOLD), 1)
    ]
    shown = json.dumps([{"id": str(number), "text": text} for number, text in enumerate(known)])
    form = '{"memory": [{"id": "0", "text": "...", "event": "NONE"}]}'
    return messages(Turn("system", "You keep facts."), Turn("user", "\n".join(said))) + messages(
        Turn("user", f"Known facts:\n{shown}\nAnswer so: {form}")
    )


def messages(*turns: Turn) -> list[dict[str, str]]:
    """Turns as LiteLLM takes them."""
    return [{"role": turn.role, "content": turn.content} for turn in turns]


def litellm() -> Any:
    """LiteLLM, kept from the network."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"
    import litellm as library

    library.suppress_debug_info = True
    return library


def ask(server: ModelServer, model: str, said: list[dict[str, str]], **options: Any) -> Any:
    """LiteLLM's answer. The model's provider decides where the dialect begins."""
    base = server.url + ("/v1" if model.startswith("openai/") else "")
    given = {
        "api_base": base,
        "api_key": KEY,
        "max_tokens": 400,
        "timeout": 20,
        "drop_params": True,
        **options,
    }
    # Else LiteLLM looks whether tools are its proxy's, for which it needs a package that is not there.
    return litellm().completion(model=model, messages=said, _skip_mcp_handler=True, **given)


def stream(
    server: ModelServer, model: str, said: list[dict[str, str]], **options: Any
) -> list[Any]:
    """The pieces of LiteLLM's streamed answer.

    LiteLLM reads no further than the last piece, and leaves the reply open. The collector would close it some time
    later, in the middle of whatever is done then; where that is another call, which holds the lock of the same
    connections, closing waits for that lock for ever. So it is closed here.
    """
    answer = ask(server, model, said, stream=True, **options)
    pieces = list(answer)
    if lines := getattr(answer.completion_stream, "streaming_response", None):
        lines.close()
    return pieces
