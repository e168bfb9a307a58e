"""A person who types, edits, deletes, switches and undoes at random moments, while the extension writes.

Whatever comes first: nothing that was typed is ever lost, and what stands in the store is either the old chat or the
proved new one, with all that was said since.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from tests.browser.bridge import CODE, NUMBERS, OTHER, ChatClient, FakeMemproc, compressed
from tests.chats import Json, chat, conversation, texts

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

RUNS = 100
ANSWER = "Yes, I remember that well."
PRESS = """(pill => pill && (pill.click(), true))(
    document.getElementById("memproc-bridge")?.shadowRoot.querySelector(arguments[0]))"""


@dataclass
class Talk:
    """One chat, with what the person has done in it: what must be there in the end."""

    chat_id: str
    client: ChatClient
    chance: random.Random
    said: list[Json] = field(default_factory=list)
    count: int = 0

    def words(self, what: str) -> str:
        """Words that are never said twice."""
        self.count += 1
        return f"{what} {self.chat_id}/{self.count}"

    def say(self) -> None:
        text = self.words("said")
        ready = "app.id === arguments[0] && app.messages.length > 0 && !app.streams.has(app.id)"
        if self.client.run(f"{ready} && (void app.say(arguments[1]), true)", self.chat_id, text):
            self.said += [{"uuid": "", "content": text}, {"uuid": "", "content": ANSWER}]

    def edit(self) -> None:
        message, text = self.chance.choice(self.known()), self.words("edited")
        if self.done("app.update(arguments[1], arguments[2])", message, text):
            message["content"] = text

    def delete(self) -> None:
        message = self.chance.choice(self.known()[:-1])
        if self.chance.random() < 0.5 and self.done("app.delete(arguments[1])", message):
            self.said.remove(message)

    def known(self) -> list[Json]:
        return [message for message in self.said if message["uuid"]]

    def done(self, what: str, message: Json, *more: str) -> bool:
        """Do it in the client, if the message is on the screen and no answer is under way; whether it was done."""
        ready = "app.id === arguments[0] && !app.streams.has(app.id) && app.messages.some(m => m.uuid === arguments[1])"
        return bool(
            self.client.run(f"{ready} && (void {what}, true)", self.chat_id, message["uuid"], *more)
        )

    def draft(self) -> None:
        self.client.type(self.words("draft") + " ")

    def switch(self) -> None:
        self.client.run("location.hash = '#chat=other'")
        self.wait()
        self.client.run("location.hash = '#chat=' + arguments[0]", self.chat_id)

    def wait(self) -> None:
        self.client.run(
            "new Promise(resolve => setTimeout(resolve, arguments[0]))", self.chance.randrange(250)
        )

    def press(self) -> None:
        self.client.until(lambda: self.client.run(PRESS, ".pill"), "the pill is pressed")

    def undo(self) -> None:
        if self.client.panel(".undo").get_attribute("hidden") is None:
            self.client.run(PRESS, ".undo")

    def is_settled(self) -> bool:
        """No answer and no round is under way, and what is shown is what is stored."""
        quiet = (
            "app.id === arguments[0] && !app.streams.size && app.get(app.id).then(chat => "
            "chat.messages.at(-1).role === 'assistant' && "
            "JSON.stringify(chat.messages) === JSON.stringify(app.messages))"
        )
        return bool(self.client.run(quiet, self.chat_id)) and not self.client.round_of(
            self.chat_id
        ).get("state")


def check(talk: Talk, fake: FakeMemproc) -> bool:
    """Whether the chat holds memories in the end; either way, all that was said has to be there."""
    messages = talk.client.stored(talk.chat_id)["messages"]
    ours = [message for message in messages if "memproc" in message]
    raw = texts(message for message in messages if "memproc" not in message)
    gone: list[str] = []
    if ours:
        sent = [json.loads(body)["data"]["chats"][0] for body in fake.exports]
        sent = [
            each
            for each in sent
            if each["chatID"] == talk.chat_id and "memproc" not in str(each["messages"])
        ]
        made_of = next(each for each in sent if compressed(each)["messages"][: len(ours)] == ours)
        assert messages[: len(ours)] == ours
        gone = texts(made_of["messages"][:-4])
    assert [*gone, *raw] == texts(talk.said)
    return bool(ours)


def test_nothing_that_was_typed_is_ever_lost(client: ChatClient, fake: FakeMemproc) -> None:
    client.begin(OTHER, script=fake.script, chat_id="other")
    client.pair(CODE)
    client.says("nothing due")
    with_memories = writes = 0
    first = random.SystemRandom().randrange(10**6)
    print(f"seeds {first} to {first + RUNS - 1}")  # noqa: T201
    for seed in range(first, first + RUNS):
        chance = random.Random(seed)
        start = chat(*conversation(6, 60), id=f"c{seed}", chatID=f"c{seed}", tokenUsage=NUMBERS)
        client.run("app.put(JSON.parse(arguments[0]))", json.dumps(start))
        client.go(start["chatID"])
        client.run("void (app.wordMs = arguments[0])", chance.choice([1, 15, 40]))
        fake.states = [{"state": "waiting"}] * chance.randrange(4) + [{"state": "done"}]
        said = [{"uuid": message["uuid"], "content": text} for message, text in
                zip(start["messages"], texts(start["messages"]), strict=True)]  # fmt: skip
        talk = Talk(start["chatID"], client, chance, said)
        client.until(client.pill, "the pill is there")
        doing: list[Callable[[], None]] = [
            talk.say, talk.say, talk.edit, talk.delete, talk.draft, talk.switch, talk.wait, talk.wait, talk.press,
            talk.press, talk.undo,
        ]  # fmt: skip
        talk.press()
        for act in chance.choices(doing, k=12):
            act()
        client.run("void (document.querySelector('textarea').value = '')")
        client.until(talk.is_settled, f"seed {seed} comes to rest", 30)
        with_memories += check(talk, fake)
        writes += "canUndo" in client.round_of(talk.chat_id)
        assert client.is_intact(), f"seed {seed}"
    print(f"{writes} chats of {RUNS} were written, {with_memories} hold memories in the end")  # noqa: T201
    assert writes > RUNS / 4
