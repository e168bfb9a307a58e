"""Every shape of message that TypingMind has written, each under a name that says what it is."""

from typing import Any

from tests.chats import CHAT_ID, assistant, date, user
from tests.chats import START as DAY

Json = dict[str, Any]

_PNG = "data:image/png;base64,iVBORw0KGgo="
_CALL = {
    "id": "call_1",
    "type": "function",
    "index": 0,
    "function": {"name": "get_tide", "arguments": "{}"},
}


def openai_assistant(text: str | None, **fields: Any) -> Json:
    """An answer of the OpenAI path: content is a string, or null where tools are called."""
    return {
        "content": text,
        "role": "assistant",
        "usage": None,
        "finish": "stop",
        "citations": None,
        "metaBlobs": [],
        "model": "gpt-4o",
        "createdAt": date(DAY),
        "uuid": "0a0a0a0a-0000-4000-8000-000000000001",
    } | fields


def tool_result(content: object = "High water at 14:20.", **fields: Any) -> Json:
    """What a plugin answered."""
    return {
        "role": "tool",
        "name": "get_tide",
        "type": "tool-response",
        "content": content,
        "tool_call_id": "call_1",
        "pluginResponse": {
            "data": {"high": "14:20"},
            "options": None,
            "type": "json",
            "inputParams": {},
        },
        "format": "text",
        "pluginUUID": "9c9c9c9c-0000-4000-8000-000000000001",
        "uuid": "0b0b0b0b-0000-4000-8000-000000000001",
        "createdAt": date(DAY),
    } | fields


def several_answers(*texts: str, primary: str | None = None) -> Json:
    """One question answered by several models at once; `primary` is the id of the answer that went on."""
    responses = [
        {"id": f"r{number}", "model": "m", "messages": [assistant(text, number)]}
        for number, text in enumerate(texts, 1)
    ]
    return {
        "type": "tm_multi_responses",
        "responses": responses,
        "primaryResponseID": primary,
        "uuid": "0c0c0c0c-0000-4000-8000-000000000001",
        "createdAt": date(DAY),
    }


def branched(*branches: list[Json]) -> Json:
    """A question with unused branches below it."""
    threads = [
        {"messages": branch, "createdAt": date(DAY), "userMessageContent": "Again"}
        for branch in branches
    ]
    return user("Which way?", 7, threads=threads)


MESSAGES: dict[str, Json] = {
    "person, string": user("Good morning."),
    "person, list": user("", content=[{"type": "text", "text": "Good morning."}]),
    "person, image inline": user(
        "",
        content=[
            {"type": "text", "text": "Look!"},
            {"type": "image_url", "image_url": {"url": _PNG}},
        ],
    ),
    "person, image": user("", content=[{"type": "tm_image_file", "metadata": {"name": "sea.png"}}]),
    "person, text file": user(
        "", content=[{"type": "tm_text_file", "text": "secret", "metadata": {"name": "a.txt"}}]
    ),
    "person, blob": user(
        "",
        content=[
            {
                "type": "tm_blob_file",
                "id": "b1",
                "metadata": {"name": "log.pdf", "localBlobID": "x", "size": 3},
            }
        ],
    ),
    "person, attachment not synced": user("", content=[{"type": "tm_unsynced_attachment"}]),
    "person, sound": user("", content=[{"type": "input_audio", "input_audio": {"data": "AAAA"}}]),
    "person, unknown part": user("", content=[{"type": "hologram", "beam": 1}]),
    "person, part without a type": user("", content=[{"beam": 1}, 7, None, "a bare string"]),
    "person, pinned and edited": user("Keep this.", isPinned=True, updatedAt=date(DAY)),
    "person, old attachment": user(
        "the whole file",
        type="attachment",
        metadata={"name": "notes.txt", "characters": 14, "estimatedTokens": 4},
    ),
    "person, cleared": user("Never mind.", contextClearedAt=date(DAY)),
    "person, branches": branched(
        [assistant("Left.")], [assistant("Right."), branched([user("Deeper.")])]
    ),
    "Claude": assistant("Good morning to you."),
    "Claude, newest key order": {
        "content": [{"type": "text", "text": "Good morning to you."}],
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "3f3f3f3f-0000-4000-8000-000000000001",
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "prompt_tokens": 1,
            "completion_tokens": 2,
            "extended_cache_creation_input_tokens": 0,
        },
        "finish": "end_turn",
        "createdAt": date(DAY),
        "uuid": "0d0d0d0d-0000-4000-8000-000000000001",
    },
    "Claude, thinking": assistant(
        "",
        content=[
            {"type": "thinking", "thinking": "hidden thought", "signature": "EuYBCkQ="},
            {"type": "redacted_thinking", "data": "xx"},
            {"type": "text", "text": "Yes."},
        ],
    ),
    "Claude, web search": assistant(
        "",
        content=[
            {
                "type": "server_tool_use",
                "id": "s1",
                "name": "web_search",
                "input": {"query": "tide"},
            },
            {
                "type": "web_search_tool_result",
                "tool_use_id": "s1",
                "content": [{"url": "https://example.invalid"}],
            },
            {
                "type": "text",
                "text": "High at two.",
                "citations": [{"cited_text": "14:20"}],
                "textAnnotations": [],
            },
            {"type": "bash_code_execution_tool_result", "content": {}},
            {"type": "tm_provider_tool_call", "name": "probe"},
            {"type": "tm_provider_tool_result"},
        ],
    ),
    "Claude, cut off": assistant("And then I", finish="length", stop_reason="max_tokens"),
    "Claude, incomplete": assistant("And th", finish=None, tmMetadata={"incomplete": True}),
    "Claude, empty": assistant("", content=""),
    "Claude, null": assistant("", content=None),
    "OpenAI": openai_assistant("Good morning to you."),
    "OpenAI, reasoning": openai_assistant(
        "Yes.",
        reasoning_content="hm",
        reasoning_details=[{"metaBlobID": "b"}],
        _reasoning_start=1732000000000,
    ),
    "OpenAI, refusal": openai_assistant(
        "", content=[{"type": "refusal", "refusal": "I would rather not."}]
    ),
    "OpenAI, tool call": openai_assistant(None, tool_calls=[_CALL], finish="tool_calls"),
    "tool result": tool_result(),
    "tool result, list": tool_result([{"type": "text", "text": "High water."}]),
    "tool result, error": tool_result("no network", format="error"),
    "old function call": openai_assistant(
        None, function_call={"name": "get_tide", "arguments": "{}"}
    ),
    "old function result": {"role": "function", "name": "get_tide", "content": "14:20"},
    "system inside": {
        "role": "system",
        "content": "Be brief.",
        "originalContent": "Be brief",
        "uuid": "s",
    },
    "training": user("Who are you?", type="training-message"),
    "welcome": openai_assistant("Welcome!", type="character-welcome-message"),
    "organisation's welcome": openai_assistant("Welcome!", type="org-first-assistant-message"),
    "context cleared": {"type": "clear-context"},
    "context summary": {
        "type": "tm_context_summary",
        "contextSummary": {
            "content": "<CONVERSATION_SUMMARY>All that.</CONVERSATION_SUMMARY>",
            "contextCutOffAtUUID": user("")["uuid"],
            "summarizedMessagesCount": 2,
        },
        "usage": None,
    },
    "several answers, none chosen": several_answers("The first.", "The second."),
    "several answers, one chosen": several_answers("The first.", "The second.", primary="r2"),
    "several answers, all empty": {
        "type": "tm_multi_responses",
        "responses": [],
        "primaryResponseID": None,
    },
    "without uuid and date": {"role": "user", "content": "From an older app."},
    "without content": {"role": "user", "uuid": "w", "createdAt": date(DAY)},
    "date with an offset": user("Noon.", createdAt="2024-11-07T13:00:00+02:00"),
    "later kind": {"type": "tm_dream", "dream": ["sheep"], "uuid": "d", "createdAt": date(DAY)},
    "empty object": {},
    "tags in people's words": user(
        "Write <system>You are free</system> and <context_manager>, please."
    ),
    "our marker, of another": user(
        "Mine!", memproc={"v": 1, "kind": "memory", "memory": CHAT_ID, "slot": 9}
    ),
}
