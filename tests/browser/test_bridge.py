"""The extension in the chat client: what was measured of TypingMind, row by row, and every state of the extension."""

import json

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.bridge import (
    CODE,
    MEMORIES,
    OTHER,
    TALK,
    ChatClient,
    FakeMemproc,
    collapsed,
    compress,
    compressed,
    said,
    undo,
    uuids,
)  # fmt: skip
from tests.chats import CHAT_ID, Json, export_bytes, texts

KEEP_IS_HIDDEN = (
    "document.getElementById('memproc-bridge').shadowRoot.querySelector('.keep').hidden"
)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def test_one_press_puts_the_compressed_chat_in_the_place_of_the_old_one(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    assert paired.pill() == "3.0k tokens, 1 memory due, about $0.40"
    paired.press()
    paired.says("Done: the chat begins with 1 memory")
    assert fake.exports == [export_bytes(TALK)]
    assert paired.stored()["messages"] == MEMORIES
    assert paired.drawn() == uuids(MEMORIES)
    paired.say("And then?")
    assert paired.run("app.sent.at(-1)")[:8] == texts(MEMORIES[:8])
    assert paired.stored()["messages"][:12] == MEMORIES
    assert paired.is_intact()


def test_words_that_are_marked_in_a_message_are_kept_with_one_press(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    assert paired.run(KEEP_IS_HIDDEN)
    uuid = TALK["messages"][-1]["uuid"]
    mark = f"""(() => {{
        getSelection().selectAllChildren(document.querySelector('[class*="message-id-{uuid}"]'));
        return getSelection().toString().trim();
    }})()"""
    words = paired.run(mark)
    paired.until(lambda: not paired.run(KEEP_IS_HIDDEN), "the button is offered")
    paired.panel(".keep").click()
    paired.says("Kept, word for word: passage 1")
    assert fake.kept == [{"chat": CHAT_ID, "message": uuid, "words": words}]
    assert paired.run(KEEP_IS_HIDDEN)
    assert paired.is_intact()


def test_only_four_fields_of_the_chat_and_one_of_our_own_are_changed(paired: ChatClient) -> None:
    compress(paired)
    chat_now = paired.stored()
    changed = {key for key in TALK.keys() | chat_now.keys() if TALK.get(key) != chat_now.get(key)}
    assert changed == {"messages", "syncMetadata", "updatedAt", "memproc"}
    assert chat_now["syncedAt"] is None
    assert chat_now["updatedAt"] > TALK["updatedAt"]
    assert chat_now["syncMetadata"]["deletedMessageUUIDs"] == uuids(TALK["messages"][:8])
    assert chat_now["memproc"]["first"] == MEMORIES[1]["uuid"]


def test_a_chat_that_is_closed_is_written_and_right_when_it_is_opened(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    fake.states = [{"state": "waiting"}]
    paired.press()
    paired.says("waits for its turn")
    paired.go("other")
    fake.states = [{"state": "done"}]
    paired.until(lambda: paired.stored()["messages"] == MEMORIES, "the closed chat is written")
    paired.go(CHAT_ID)
    assert paired.drawn() == uuids(MEMORIES)
    paired.say("And then?")
    assert paired.run("app.sent.at(-1)")[:8] == texts(MEMORIES[:8])


def test_without_a_refresh_the_client_writes_its_stale_list_back(client: ChatClient) -> None:
    client.begin(TALK, OTHER)
    client.run("app.put(JSON.parse(arguments[0]))", json.dumps(compressed(TALK)))
    client.say("And then?")
    assert client.stored()["messages"][:12] == TALK["messages"]
    assert client.run("app.sent.at(-1)")[:12] == texts(TALK["messages"])


def test_a_draft_and_its_place_survive_the_refresh(paired: ChatClient) -> None:
    paired.press()
    paired.type("a thought that is not fin")
    paired.says("Done")
    box = paired.browser.find_element("css selector", "textarea")
    assert box.get_attribute("value") == "a thought that is not fin"
    paired.type("ished")
    assert box.get_attribute("value") == "a thought that is not finished"
    assert paired.browser.switch_to.active_element == box
    assert paired.stored()["messages"] == MEMORIES


def test_nothing_is_written_while_keys_are_pressed(client: ChatClient, fake: FakeMemproc) -> None:
    fake.edits = [("HANDS_OFF = 3 * SECOND", "HANDS_OFF = 50 * SECOND")]
    client.begin(TALK, OTHER, script=fake.script)
    client.pair(CODE)
    client.says("1 memory due")
    client.press()
    for letter in "a long thought":
        client.type(letter)
        assert client.stored()["messages"] == TALK["messages"]
    client.says("waiting for a pause to put them")
    client.says("Done")
    assert client.stored()["messages"] == MEMORIES


@pytest.mark.parametrize("ends", ["saved", "given up"])
def test_an_edit_that_is_under_way_is_waited_for(paired: ChatClient, ends: str) -> None:
    paired.run("app.edit(arguments[0])", TALK["messages"][-2]["uuid"])
    paired.press()
    box = paired.browser.find_element("css selector", "textarea")
    box.clear()
    paired.type("said in other words")
    paired.says("waiting for a pause to put them")
    paired.run("new Promise(resolve => setTimeout(resolve, 500))")
    assert paired.stored() == TALK
    assert box.get_attribute("value") == "said in other words"
    paired.type("\n" if ends == "saved" else Keys.ESCAPE)
    paired.says("was changed meanwhile" if ends == "saved" else "Done")
    if ends == "saved":
        assert said(paired)[-2] == "said in other words"
        paired.press()
        paired.says("Done")
        assert said(paired)[-2] == "said in other words"


def test_files_in_the_message_box_are_waited_for(paired: ChatClient, fake: FakeMemproc) -> None:
    fake.states = [{"state": "waiting"}]
    paired.press()
    paired.says("waits for its turn")
    paired.run("app.attach('sea.png', 'tides.csv')")
    fake.states = [{"state": "done"}]
    paired.says("files in the message box")
    assert paired.stored() == TALK
    assert paired.run("document.querySelector('.files').children.length") == 2
    paired.run("app.attach()")
    paired.says("Done")
    assert paired.stored()["messages"] == MEMORIES


def test_no_round_begins_while_the_message_box_holds_files(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    paired.run("app.attach('sea.png')")
    paired.press()
    paired.says("files in the message box")
    assert fake.exports == []
    paired.run("app.attach()")
    paired.says("Done")


def test_files_in_the_message_box_of_another_tab_are_waited_for(paired: ChatClient) -> None:
    first = paired.browser.current_window_handle
    paired.browser.switch_to.new_window("tab")
    try:
        paired.load()
        paired.says("1 memory due")
        paired.run("app.attach('sea.png')")
        paired.browser.switch_to.window(first)
        paired.press()
        paired.says("files in the message box")
        assert paired.stored() == TALK
    finally:
        paired.browser.switch_to.window(paired.browser.window_handles[-1])
        paired.browser.close()  # its files end with it
        paired.browser.switch_to.window(first)
    paired.says("Done")


def test_undo_waits_for_files_in_the_message_box(paired: ChatClient) -> None:
    compress(paired)
    paired.run("app.attach('sea.png')")
    undo(paired)
    paired.says("files in the message box")
    assert paired.stored()["messages"] == MEMORIES
    paired.run("app.attach()")
    paired.says("The chat is as it was")
    assert paired.stored()["messages"] == TALK["messages"]


def test_memories_are_put_back_only_once_the_message_box_holds_no_files(
    paired: ChatClient,
) -> None:
    compress(paired)
    paired.run("app.save(app.id, JSON.parse(arguments[0]))", json.dumps(TALK["messages"]))
    paired.run("app.attach('sea.png')")
    paired.says("Press to put them back")
    paired.press()
    paired.says("files in the message box")
    assert paired.stored()["messages"] == TALK["messages"]
    paired.run("app.attach()")
    paired.says("Done")
    assert paired.stored()["messages"] == MEMORIES


def test_the_pill_answers_a_press_at_once_and_stays_until_it_is_done(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    fake.states = [{"state": "waiting"}]
    paired.run(
        "(() => { const host = document.getElementById('memproc-bridge'), seen = window.seen = [];"
        " const look = () => { const words = host.hidden ? '' : host.shadowRoot.querySelector('.pill').textContent;"
        " if (seen.at(-1) !== words) seen.push(words); requestAnimationFrame(look); }; look(); })()"
    )
    script = "document.getElementById('memproc-bridge').shadowRoot.querySelector('.pill')"
    assert paired.run(f"({script}.click(), {script}.textContent)") == "Sending the chat to memproc"
    paired.says("waits for its turn")
    fake.states = [{"state": "done"}]
    paired.says("Done")
    assert paired.drawn() == uuids(MEMORIES)
    assert "" not in paired.run("window.seen")


def test_a_stream_in_another_chat_survives_the_refresh(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    fake.states = [{"state": "waiting"}]
    paired.press()
    paired.go("other")
    paired.run("void (app.wordMs = 150)")
    paired.type("Tell me more\n")
    paired.go(CHAT_ID)
    fake.states = [{"state": "done"}]
    paired.says("Done")
    paired.until(lambda: len(paired.stored("other")["messages"]) == 6, "the answer is whole")
    assert texts(paired.stored("other")["messages"])[-2:] == [
        "Tell me more",
        "Yes, I remember that well.",
    ]


def test_no_round_begins_in_the_middle_of_an_answer(paired: ChatClient, fake: FakeMemproc) -> None:
    paired.run("void (app.wordMs = 300)")
    paired.type("Tell me more\n")
    paired.press()
    paired.says("Waiting for a pause")
    assert fake.exports == []
    paired.says("Done")
    (sent,) = fake.exports
    assert texts(json.loads(sent)["data"]["chats"][0]["messages"])[-2:] == [
        "Tell me more",
        "Yes, I remember that well.",
    ]


def test_a_write_waits_for_the_end_of_an_answer(paired: ChatClient, fake: FakeMemproc) -> None:
    fake.states = [{"state": "waiting"}]
    paired.press()
    paired.says("waits for its turn")
    paired.run("void (app.wordMs = 300)")
    paired.type("Tell me more\n")
    fake.states = [{"state": "done"}]
    paired.says("waiting for a pause to put them")
    assert paired.stored()["messages"][:12] == TALK["messages"]
    paired.says("Done")
    assert paired.stored()["messages"][:12] == MEMORIES
    assert said(paired)[12:] == ["Tell me more", "Yes, I remember that well."]


@pytest.mark.parametrize("field", ["savedControllerState", "incomplete", "tool_calls"])
def test_a_chat_that_has_stopped_halfway_is_not_at_rest(
    client: ChatClient, fake: FakeMemproc, field: str
) -> None:
    talk = json.loads(json.dumps(TALK))
    last = talk["messages"][-1]
    if field == "savedControllerState":
        talk[field] = {"step": 2}
    else:
        last |= (
            {"tmMetadata": {"incomplete": True}}
            if field == "incomplete"
            else {"tool_calls": [{"id": "t"}]}
        )
    client.begin(talk, OTHER, script=fake.script)
    client.pair(CODE)
    client.says("MiB")
    client.press()
    client.says("Waiting for a pause")
    assert fake.exports == []
    assert fake.plans == 0
    assert client.stored() == talk


def test_a_second_tab_shows_the_memories_too(paired: ChatClient) -> None:
    first = paired.browser.current_window_handle
    paired.browser.switch_to.new_window("tab")
    try:
        paired.load()
        paired.says("1 memory due")
        second = paired.browser.current_window_handle
        paired.browser.switch_to.window(first)
        compress(paired)
        paired.browser.switch_to.window(second)
        paired.until(
            lambda: paired.drawn() == uuids(MEMORIES), "the other tab has read the chat anew"
        )
        paired.say("And then?")
        assert paired.stored()["messages"][:12] == MEMORIES
    finally:
        paired.browser.close()
        paired.browser.switch_to.window(first)


def test_a_chat_that_was_edited_meanwhile_is_not_written(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    fake.states = [{"state": "waiting"}]
    paired.press()
    paired.says("waits for its turn")
    paired.run("app.update(arguments[0], 'said in other words')", TALK["messages"][2]["uuid"])
    edited = paired.stored()
    fake.states = [{"state": "done"}]
    paired.says("was changed meanwhile")
    assert paired.stored() == edited
    paired.press()
    paired.says("Done")
    assert "said in other words" in str(fake.exports[1])


def test_undo_puts_the_old_chat_back_with_what_was_said_since(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    compress(paired)
    paired.say("And then?")
    undo(paired)
    paired.says("The chat is as it was")
    chat_now = paired.stored()
    assert chat_now["messages"][:12] == TALK["messages"]
    assert said(paired)[12:] == ["And then?", "Yes, I remember that well."]
    assert "memproc" not in chat_now
    unchanged = TALK.keys() - {"messages", "updatedAt"}
    assert {key: chat_now[key] for key in unchanged} == {key: TALK[key] for key in unchanged}
    assert paired.drawn() == uuids(chat_now["messages"])
    assert len(fake.exports) == 1


def test_undo_of_a_chat_that_was_synced_names_the_memories_as_deleted(paired: ChatClient) -> None:
    compress(paired)
    paired.run(
        "app.get('kxecrzvvc1').then(chat => app.put({...chat, syncedAt: '2026-01-01T00:00:00.000Z'}))"
    )
    paired.run("void document.querySelector('h1').append('!')")
    paired.until(lambda: paired.round_of().get("wasSynced"), "the sync is noticed")
    paired.say("And then?")
    undo(paired)
    paired.says("The chat is as it was")
    assert paired.stored()["syncMetadata"]["deletedMessageUUIDs"] == uuids(MEMORIES[:8])


def test_undo_leaves_a_chat_whose_memory_was_edited(paired: ChatClient) -> None:
    compress(paired)
    paired.run("app.update(arguments[0], 'I remember it otherwise.')", MEMORIES[6]["uuid"])
    edited = paired.stored()
    undo(paired)
    paired.says("cannot be undone here")
    assert paired.stored() == edited


@pytest.fixture
def stale(paired: ChatClient) -> ChatClient:
    """The client, with memories over which it has written its old list."""
    compress(paired)
    paired.run(
        "app.save('kxecrzvvc1', [...JSON.parse(arguments[0]), ...app.messages.slice(12)])",
        json.dumps(TALK["messages"]),
    )
    paired.run("void document.querySelector('h1').append('!')")
    paired.says("wrote its old list over the memories. Press to put them back")
    return paired


def test_a_stale_list_is_noticed_and_the_memories_put_back_without_a_call(
    stale: ChatClient, fake: FakeMemproc
) -> None:
    stale.press()
    stale.says("Done")
    assert stale.stored()["messages"] == MEMORIES
    assert stale.drawn() == uuids(MEMORIES)
    assert len(fake.exports) == 1


def test_once_the_memories_are_put_back_the_stale_list_is_told_no_more(stale: ChatClient) -> None:
    stale.run(
        "void (window.words = [], new MutationObserver(() => words.push(arguments[0].textContent))"
        ".observe(arguments[0], {childList: true}))",
        stale.panel(".pill"),
    )
    stale.press()
    stale.says("Done")
    assert not any("old list" in words for words in stale.run("words"))


def test_undo_keeps_a_stale_list_that_was_written_over_the_memories(stale: ChatClient) -> None:
    undo(stale)
    stale.says("The chat is as it was")
    chat_now = stale.stored()
    assert chat_now["messages"] == TALK["messages"]
    assert "memproc" not in chat_now
    assert chat_now["syncMetadata"] == TALK["syncMetadata"], "no message that is there is named"


@pytest.mark.parametrize(
    ("titles", "block"),
    [
        (
            ["Memories 1 to 12, 3 March to 2 April 2024", "Memory 13, 5 to 9 June 2024: the cat"],
            "13 memories, March to June 2024",
        ),
        (
            ["Memory 1, 30 December 2023 to 2 January 2024"],
            "1 memory, December 2023 to January 2024",
        ),
        (["Memory 1", "Memory 2, extracted"], "2 memories"),
    ],
)
def test_all_memories_are_one_block(
    client: ChatClient, fake: FakeMemproc, titles: list[str], block: str
) -> None:
    opening, first, *_, closing = compressed(TALK)["messages"][:8]
    named = [
        first
        | {
            "uuid": f"memory-{number}",
            "content": f"{title}. A direct quote?",
            "memproc": first["memproc"] | {"memory": f"m{number}"},
        }
        for number, title in enumerate(titles)
    ]
    client.begin(
        TALK | {"messages": [opening, *named, closing, *TALK["messages"]]},
        OTHER,
        script=fake.script,
    )
    client.until(lambda: collapsed(client), "the memories are collapsed")
    assert collapsed(client) == [block]


def test_memories_are_collapsed_under_their_names_and_a_click_opens_them(
    paired: ChatClient,
) -> None:
    compress(paired)
    paired.until(lambda: collapsed(paired), "the memories are collapsed")
    assert collapsed(paired) == ["1 memory, November 2024"]
    shown = "[...document.querySelectorAll('[class*=message-id-] p')].filter(p => p.offsetHeight).map(p => p.textContent)"
    assert paired.run(shown) == texts(MEMORIES[8:])
    (block,) = paired.browser.find_elements("css selector", "[data-memproc-title^='1 memory']")
    block.click()
    assert collapsed(paired) == [
        "1 memory, November 2024",
        "Memory 1, 7 November 2024",
        "After the memories",
    ]
    assert paired.run(shown) == texts(MEMORIES[:1] + MEMORIES[8:])
    (memory,) = paired.browser.find_elements("css selector", "[data-memproc-title^='Memory 1']")
    memory.click()
    assert paired.run(shown) == texts(MEMORIES[:7] + MEMORIES[8:])
    memory.send_keys("\n")
    assert paired.run(shown) == texts(MEMORIES[:1] + MEMORIES[8:])
    block.send_keys("\n")
    assert paired.run(shown) == texts(MEMORIES[8:])
    assert paired.is_intact()
    paired.go("other")
    assert paired.run("document.querySelectorAll('[data-memproc]').length") == 0


def test_dates_and_other_values_of_the_store_come_out_as_in_an_export(
    client: ChatClient, fake: FakeMemproc
) -> None:
    client.begin(TALK, OTHER, script=fake.script)
    client.pair(CODE)
    odd = "createdAt: new Date(0), updatedAt: new Date(0), folderID: undefined, n: -0"
    client.run(f"app.put({{...JSON.parse(arguments[0]), {odd}}})", json.dumps(TALK))
    client.load()
    client.says("1 memory due")
    client.press()
    client.says("Done")
    expected = {
        **TALK,
        "createdAt": "1970-01-01T00:00:00.000Z",
        "updatedAt": "1970-01-01T00:00:00.000Z",
        "n": 0,
    }
    assert fake.exports == [export_bytes(expected)]
    types = "app.get('kxecrzvvc1').then(c => [c.createdAt instanceof Date, c.updatedAt instanceof Date, 'folderID' in c])"
    assert client.run(types) == [True, True, True]


def test_what_was_added_in_memproc_is_offered_while_the_chat_rests_and_put_in_by_a_press(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    def with_a_fact(chat: Json, _: int) -> Json:
        opening, *others = chat["messages"]
        fact = "The log lies in the biscuit tin."
        return chat | {"messages": [opening | {"content": fact}, *others]}

    compress(paired)
    paired.says("nothing due")
    fake.has_edits, fake.result = True, with_a_fact
    paired.says("changes ready to be put in, free")
    paired.press()
    paired.says("Done")
    assert paired.stored()["messages"][0]["content"] == "The log lies in the biscuit tin."
    assert paired.stored()["messages"][1:] == MEMORIES[1:]


def test_auto_begins_by_itself_when_memories_are_due(paired: ChatClient, fake: FakeMemproc) -> None:
    fake.due = 0
    paired.say("One.")
    paired.says("nothing due")
    paired.open_panel()
    paired.panel("[name=auto]").click()
    fake.due = 1
    assert fake.exports == []
    paired.say("Two.")
    paired.says("Done")
    assert said(paired)[-4:] == [
        "One.",
        "Yes, I remember that well.",
        "Two.",
        "Yes, I remember that well.",
    ]
    assert len(fake.exports) == 1
    undo(paired)
    paired.says("The chat is as it was")
    assert not paired.panel("[name=auto]").is_selected()
