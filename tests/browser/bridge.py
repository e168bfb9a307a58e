"""Two chats in the chat client, and what the tests of the bridge do with them."""

from tests.browser.chat_client import ChatClient, served_client
from tests.browser.fake_memproc import CODE, FakeMemproc, compressed, served
from tests.chats import Json, chat, conversation, texts

__all__ = ["CODE", "ChatClient", "FakeMemproc", "compressed", "served", "served_client"]

NUMBERS = {"totalTokens": 21831894, "totalCostUSD": 69.224}
TALK = chat(*conversation(6, 80), tokenUsage=NUMBERS)
OTHER = chat(
    *conversation(2, 40, first=50),
    id="other",
    chatID="other",
    chatTitle="Another chat",
    tokenUsage=NUMBERS,
)
MEMORIES = compressed(TALK)["messages"]


def uuids(messages: list[Json]) -> list[str]:
    return [message["uuid"] for message in messages]


def said(client: ChatClient) -> list[str]:
    return texts(client.stored()["messages"])


def compress(client: ChatClient) -> None:
    client.press()
    client.says("Done")


def undo(client: ChatClient) -> None:
    client.open_panel()
    client.panel(".undo").click()


def collapsed(client: ChatClient) -> list[str]:
    titles = client.run(
        "[...document.querySelectorAll('[data-memproc-title]')].map(e => e.dataset.memprocTitle)"
    )
    assert isinstance(titles, list)
    return titles
