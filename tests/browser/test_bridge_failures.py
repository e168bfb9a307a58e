"""Whatever goes wrong on the bridge ends in a sentence on the pill, and the chat as it was."""

import json
from pathlib import Path

import pytest

from tests.browser.bridge import (
    CODE,
    MEMORIES,
    OTHER,
    TALK,
    ChatClient,
    FakeMemproc,
    compress,
    compressed,
    said,
    served,
    undo,
    uuids,
)  # fmt: skip
from tests.browser.conftest import started_browser
from tests.chats import CHAT_ID, Json, chat, conversation

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

BUDGET = "The cap of $5.00 a day is reached. It goes on tomorrow, or after `memproc budget raise`."


@pytest.fixture
def waiting(paired: ChatClient, fake: FakeMemproc) -> ChatClient:
    """The client, with a chat that memproc has and is not done with."""
    fake.states = [{"state": "waiting"}]
    paired.press()
    paired.says("waits for its turn")
    return paired


def test_a_page_that_is_closed_goes_on_when_it_is_opened(
    waiting: ChatClient, fake: FakeMemproc
) -> None:
    waiting.browser.get("about:blank")
    fake.states = [{"state": "done"}]
    waiting.load()
    waiting.says("Done")
    assert waiting.stored()["messages"] == MEMORIES
    assert len(fake.exports) == 1


def test_a_page_that_is_closed_before_the_write_goes_on_when_it_is_opened(
    waiting: ChatClient, fake: FakeMemproc
) -> None:
    waiting.run(
        "app.get('kxecrzvvc1').then(chat => app.put({...chat, savedControllerState: {step: 2}}))"
    )
    fake.states = [{"state": "done"}]
    waiting.says("waiting for a pause to put them")
    waiting.load()
    waiting.says("waiting for a pause to put them")
    assert waiting.stored()["messages"] == TALK["messages"]
    waiting.run("app.get('kxecrzvvc1').then(({savedControllerState, ...chat}) => app.put(chat))")
    waiting.says("Done")
    assert waiting.stored()["messages"] == MEMORIES


def store_chat(client: ChatClient, stored: Json) -> None:
    """Put a chat into the store from a page that has neither the client nor the extension."""
    client.run(
        "new Promise(resolve => { const opening = indexedDB.open('keyval-store'); opening.onsuccess = () => {"
        " const made = opening.result.transaction('keyval', 'readwrite').objectStore('keyval')"
        ".put(JSON.parse(arguments[0]), 'CHAT_kxecrzvvc1'); made.onsuccess = () => resolve(1); }; })",
        json.dumps(stored),
    )


def test_a_page_that_was_closed_just_after_the_write_notes_it(
    waiting: ChatClient, fake: FakeMemproc
) -> None:
    waiting.browser.get("about:blank")
    waiting.browser.get(f"{waiting.address}client.css")  # the same origin, without the extension
    store_chat(waiting, compressed(TALK))
    fake.states = [{"state": "done"}]
    waiting.load()
    waiting.says("Done")
    assert waiting.stored() == compressed(TALK)
    undo(waiting)
    waiting.says("The chat is as it was")
    assert waiting.stored()["messages"] == TALK["messages"]


@pytest.mark.parametrize(
    "gone",
    [
        "app.remove('kxecrzvvc1')",
        "app.get('kxecrzvvc1').then(chat => app.put({...chat, deletedAt: '2026-01-01'}))",
    ],
)
def test_a_chat_that_was_deleted_meanwhile_stays_deleted(
    waiting: ChatClient, fake: FakeMemproc, gone: str
) -> None:
    waiting.run(gone)
    before = waiting.run("app.get('kxecrzvvc1')")
    fake.states = [{"state": "done"}]
    waiting.until(
        lambda: "was deleted meanwhile" in str(waiting.round_of().get("said")),
        "the sentence is kept",
    )
    assert waiting.run("app.get('kxecrzvvc1')") == before
    if before:
        waiting.says("was deleted meanwhile")


def test_another_device_that_has_compressed_the_chat_meanwhile_wins(
    waiting: ChatClient, fake: FakeMemproc
) -> None:
    theirs = compressed(TALK, live=6)
    waiting.run("app.put(JSON.parse(arguments[0]))", json.dumps(theirs))
    fake.states = [{"state": "done"}]
    waiting.says("was changed meanwhile, here or on another device")
    assert waiting.stored() == theirs


def test_what_another_device_has_added_meanwhile_stays(
    waiting: ChatClient, fake: FakeMemproc
) -> None:
    more = conversation(1, 40, first=30)
    waiting.run(
        "app.put(JSON.parse(arguments[0]))",
        json.dumps(TALK | {"messages": [*TALK["messages"], *more]}),
    )
    fake.states = [{"state": "done"}]
    waiting.says("Done")
    assert waiting.stored()["messages"] == [*MEMORIES, *more]


def test_a_budget_that_is_reached_is_told_in_the_words_of_memproc(
    waiting: ChatClient, fake: FakeMemproc
) -> None:
    fake.states = [{"state": "running", "done": 3, "total": 20, "usd": 4.9}]
    waiting.says("Writing memories: 3 of 20, $4.90 so far")
    fake.states = [{"state": "failed", "reason": BUDGET}]
    waiting.says(BUDGET)
    assert waiting.stored() == TALK
    waiting.say("And then?")
    waiting.says("memory due")  # what was refused was the chat as it was


def test_auto_does_not_try_the_same_chat_again_and_again(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    fake.states = [{"state": "failed", "reason": BUDGET}]
    paired.open_panel()
    paired.panel("[name=auto]").click()
    paired.says(BUDGET)
    for _ in range(3):
        paired.run("new Promise(resolve => setTimeout(resolve, 300))")
        paired.run("void document.querySelector('h1').append('!')")
    assert len(fake.exports) == 1
    fake.states = [{"state": "done"}]
    paired.say("And then?")
    paired.says("Done")


def test_a_server_that_has_gone_is_waited_for(waiting: ChatClient, fake: FakeMemproc) -> None:
    fake.states = [{"state": "done"}]
    fake.stop()
    waiting.says(f"memproc does not answer at {fake.address}. Does it run")
    assert waiting.stored() == TALK
    with served(fake):
        waiting.says("Done")
        assert waiting.stored()["messages"] == MEMORIES


def test_a_press_asks_a_server_that_has_gone_at_once(
    waiting: ChatClient, fake: FakeMemproc
) -> None:
    fake.states = [{"state": "done"}]
    fake.stop()
    waiting.says("does not answer")
    with served(fake):
        waiting.press()
        waiting.says("Done", seconds=3)


def test_an_answer_that_never_comes_is_not_waited_for(
    client: ChatClient, fake: FakeMemproc
) -> None:
    fake.edits = [("PATIENCE = 180 * SECOND", "PATIENCE = 9 * SECOND")]
    client.begin(TALK, OTHER, script=fake.script)
    client.pair(CODE)
    client.says("1 memory due")
    fake.trouble = "silent"
    client.press()
    client.says("does not answer")
    assert client.stored() == TALK
    fake.trouble = ""
    client.says("Done")
    fake.is_heard.set()


@pytest.mark.parametrize("trouble", ["wrong mac", "foreign"])
def test_an_answer_that_is_not_signed_is_not_obeyed(
    waiting: ChatClient, fake: FakeMemproc, trouble: str
) -> None:
    fake.trouble = trouble
    fake.states = [{"state": "done"}]
    waiting.says("was not memproc's own")
    assert waiting.stored() == TALK
    fake.trouble = ""
    waiting.says("Done")


def test_a_browser_that_was_forgotten_can_be_paired_again(
    waiting: ChatClient, fake: FakeMemproc
) -> None:
    fake.keys.clear()
    waiting.says("memproc pair")
    assert waiting.stored() == TALK
    waiting.press()
    waiting.panel("[name=code]").send_keys(CODE)
    waiting.panel("form button").click()
    fake.states = [{"state": "done"}]
    waiting.says("Done")


def test_a_wrong_code_is_told_and_pairs_nothing(client: ChatClient, fake: FakeMemproc) -> None:
    client.begin(TALK, OTHER, script=fake.script)
    client.pair("000000")
    client.says("That code is wrong")
    assert fake.keys == {}
    client.panel("[name=code]").clear()
    client.panel("[name=code]").send_keys(CODE + "\n")
    client.says("1 memory due")


def test_spaces_that_were_pasted_with_the_digits_do_not_count(
    client: ChatClient, fake: FakeMemproc
) -> None:
    client.begin(TALK, OTHER, script=fake.script)
    client.pair(f" {CODE[:3]} {CODE[3:]} ")
    client.says("1 memory due")


def test_the_pairing_can_be_forgotten_in_the_client_and_what_is_kept_of_chats_with_it(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    compress(paired)
    assert kept_of_chats(paired) == [f"round/{CHAT_ID}", f"written/{CHAT_ID}"]
    paired.open_panel()
    paired.panel(".forget").click()
    assert "memproc restore" in paired.panel(".forget").text, "it says first what goes and stays"
    assert len(kept_of_chats(paired)) == 2
    paired.panel(".forget").click()
    paired.says("press to pair")
    assert kept_of_chats(paired) == []
    paired.until(lambda: not fake.keys, "memproc has forgotten it, too")
    paired.load()
    paired.says("press to pair")


def test_a_pairing_is_forgotten_in_the_client_while_memproc_does_not_answer_and_that_is_told(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    fake.stop()
    paired.open_panel()
    paired.panel(".forget").click()
    paired.panel(".forget").click()
    paired.says("still lists this browser. In a terminal: memproc pair forget")
    with served(fake):
        paired.press()
        paired.panel("[name=code]").send_keys(CODE)
        paired.panel("form button").click()
        paired.says("1 memory due")


def test_a_browser_that_memproc_does_not_know_keeps_what_undo_needs(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    compress(paired)
    fake.keys.clear()
    paired.say("And then?")
    paired.says("memproc pair")
    assert f"written/{CHAT_ID}" in kept_of_chats(paired)


def test_what_was_sent_is_not_kept_once_its_round_has_ended(
    waiting: ChatClient, fake: FakeMemproc
) -> None:
    assert f"pending/{CHAT_ID}" in kept_of_chats(waiting)
    waiting.open_panel()
    waiting.panel(".stop").click()
    waiting.until(lambda: kept_of_chats(waiting) == [f"round/{CHAT_ID}"], "it is gone")


@pytest.mark.parametrize("how", ["deleted", "in the bin", "the last one"])
def test_what_is_kept_of_a_chat_goes_when_the_chat_has_gone(
    client: ChatClient, fake: FakeMemproc, how: str
) -> None:
    fake.edits = [("TIDY = 60 * SECOND", "TIDY = 0.2 * SECOND")]
    client.begin(TALK, OTHER, script=fake.script)
    client.pair(CODE)
    client.says("1 memory due")
    compress(client)
    client.go("other")
    if how == "in the bin":
        binned = json.dumps(client.stored() | {"deletedAt": "2026-11-24T09:00:00.000Z"})
        client.run("app.put(JSON.parse(arguments[0]))", binned)
    else:
        client.run("app.remove(arguments[0])", CHAT_ID)
    if how == "the last one":
        client.run("app.remove('other')")
    if how == "deleted":
        client.until(lambda: kept_of_chats(client) == [], "nothing is kept")
        return
    client.run("new Promise(resolve => setTimeout(resolve, 3000))")
    assert f"written/{CHAT_ID}" in kept_of_chats(client)


def test_the_old_chat_is_not_kept_once_it_was_put_back(paired: ChatClient) -> None:
    compress(paired)
    undo(paired)
    paired.says("The chat is as it was")
    assert kept_of_chats(paired) == [f"round/{CHAT_ID}"]


def test_a_page_that_was_closed_just_after_an_undo_notes_it(paired: ChatClient) -> None:
    compress(paired)
    paired.browser.get("about:blank")
    paired.browser.get(f"{paired.address}client.css")  # the same origin, without the extension
    paired.run(
        "new Promise(done => { const opening = indexedDB.open('memproc'); opening.onsuccess = () => {"
        " const kept = opening.result.transaction('kept', 'readwrite').objectStore('kept');"
        " kept.get(arguments[0]).onsuccess = ({target}) => {"
        " kept.put({...target.result, state: 'undoing'}, arguments[0]).onsuccess = done; }; }; })",
        f"round/{CHAT_ID}",
    )
    store_chat(paired, TALK)
    paired.load()
    paired.says("The chat is as it was")
    assert paired.stored()["messages"] == TALK["messages"]


def test_undo_goes_after_ninety_days_and_auto_stays(client: ChatClient, fake: FakeMemproc) -> None:
    client.begin(TALK, OTHER, script=fake.script)
    client.pair(CODE)
    client.says("1 memory due")
    compress(client)
    client.open_panel()
    client.panel("[name=auto]").click()
    client.until(lambda: client.round_of().get("auto"), "auto is kept")
    fake.edits = [("UNDO_DAYS = 90", "UNDO_DAYS = 0")]
    client.load()
    client.until(lambda: kept_of_chats(client) == [f"round/{CHAT_ID}"], "the old chat is gone")
    assert client.round_of()["auto"]
    client.open_panel()
    assert not client.panel(".undo").is_displayed()


def kept_of_chats(client: ChatClient) -> list[str]:
    """The names under which the extension keeps something of a chat."""
    names = client.run(
        "new Promise(resolve => { const opening = indexedDB.open('memproc'); opening.onsuccess = () => {"
        " const asked = opening.result.transaction('kept').objectStore('kept').getAllKeys();"
        " asked.onsuccess = () => { opening.result.close(); resolve(asked.result); }; }; })"
    )
    assert isinstance(names, list)
    return sorted(name for name in names if "/" in name)


def test_the_key_of_the_pairing_cannot_be_read_out(paired: ChatClient) -> None:
    kept = (
        "new Promise(resolve => { const opening = indexedDB.open('memproc'); opening.onsuccess = () => {"
        " const asked = opening.result.transaction('kept').objectStore('kept').get('pairing');"
        " asked.onsuccess = () => resolve(asked.result); }; })"
    )
    assert paired.run(
        f"{kept}.then(pairing => [Object.keys(pairing), pairing.key.extractable])"
    ) == [
        ["address", "device", "key"],
        False,
    ]


def test_a_job_that_memproc_has_forgotten_is_told(waiting: ChatClient, fake: FakeMemproc) -> None:
    fake.exports.clear()
    waiting.says("has no such job any more")
    assert waiting.stored() == TALK


def as_it_was_sent(sent: Json, live: int) -> Json:
    return sent


def without_a_live_message(sent: Json, live: int) -> Json:
    made = compressed(sent, live)
    return made | {
        "messages": [*made["messages"][:-2], made["messages"][-1] | {"content": "Another answer."}]
    }


def of_another_chat(sent: Json, live: int) -> Json:
    return compressed(sent, live) | {"id": "new", "chatID": "new"}


@pytest.mark.parametrize("wrong", [as_it_was_sent, without_a_live_message, of_another_chat])
def test_a_result_that_is_not_this_chat_with_memories_is_not_written(
    waiting: ChatClient, fake: FakeMemproc, wrong: object
) -> None:
    fake.result = wrong
    fake.states = [{"state": "done"}]
    waiting.says("is not this chat with memories")
    assert waiting.stored() == TALK


def test_a_chat_in_which_nothing_was_due_stays_as_it_is(
    waiting: ChatClient, fake: FakeMemproc
) -> None:
    fake.states = [
        {"state": "unchanged", "reason": "It is as memproc wrote it, so there was nothing to do."}
    ]
    waiting.says("It is as memproc wrote it, so there was nothing to do.")
    assert "trouble" not in waiting.panel(".pill").get_attribute("class")
    assert waiting.stored() == TALK


def test_a_price_that_nobody_knows_is_told(client: ChatClient, fake: FakeMemproc) -> None:
    fake.likely = None
    client.begin(TALK, OTHER, script=fake.script)
    client.pair(CODE)
    client.says("1 memory due, at an unknown price")


def test_until_memproc_has_planned_the_pill_says_how_large_the_chat_is(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    fake.trouble = "silent"
    paired.go("other")
    paired.says("MiB", seconds=5)
    fake.is_heard.set()


def test_why_nothing_could_be_planned_is_told_until_it_can(
    paired: ChatClient, fake: FakeMemproc
) -> None:
    fake.trouble = "busy"
    paired.go("other")
    paired.says("The archive is busy.")
    fake.trouble = ""
    paired.says("nothing due")


def test_why_a_job_waits_is_told(waiting: ChatClient, fake: FakeMemproc) -> None:
    fake.states = [
        {"state": "waiting", "reason": "memproc is paused. To go on at once: memproc resume"}
    ]
    waiting.says("memproc is paused. To go on at once: memproc resume")
    waiting.open_panel()
    waiting.panel(".stop").click()
    waiting.says("1 memory due")
    assert waiting.stored() == TALK


def test_where_nothing_is_due_the_panel_says_why(client: ChatClient, fake: FakeMemproc) -> None:
    fake.due = 0
    client.begin(TALK, OTHER, script=fake.script)
    client.pair(CODE)
    client.says("3.0k tokens, nothing due")
    client.press()
    assert client.panel(".why").text == "Fewer than 4,000 tokens come before the live tail."
    assert fake.exports == []


@pytest.mark.parametrize("store", ["keyval", "kept"])
def test_a_full_browser_leaves_the_chat_as_it_was(
    paired: ChatClient, fake: FakeMemproc, store: str
) -> None:
    paired.run(
        "(() => { const put = IDBObjectStore.prototype.put; IDBObjectStore.prototype.put = function (value, key) {"
        " if (this.name === arguments_store && /^(CHAT_|pending)/.test(key))"
        " throw new DOMException('full', 'QuotaExceededError'); return put.call(this, value, key); } })()".replace(
            "arguments_store", json.dumps(store)
        )
    )
    paired.press()
    paired.says("has no room left")
    assert paired.stored() == TALK
    assert len(fake.exports) == (1 if store == "keyval" else 0)


def test_a_chat_above_the_limit_of_the_sync_is_told_and_compressed(
    client: ChatClient, fake: FakeMemproc
) -> None:
    talk = chat(*conversation(20, 40_000), tokenUsage=TALK["tokenUsage"])
    client.begin(talk, OTHER, script=fake.script)
    client.pair(CODE)
    size = len(json.dumps(talk, ensure_ascii=False, separators=(",", ":")).encode()) / (1 << 20)
    client.says(f"TypingMind's sync skips it until it is smaller ({size:.1f} MiB of 3)")
    client.press()
    client.says("Done")
    client.says("nothing due")
    assert "sync skips" not in client.pill()


def test_a_chat_above_the_limit_of_memproc_is_not_sent(
    client: ChatClient, fake: FakeMemproc
) -> None:
    fake.edits = [("64 << 20", "2 << 10")]
    client.begin(TALK, OTHER, script=fake.script)
    client.pair(CODE)
    client.says("larger than the 64 MiB")
    assert fake.exports == []


# TypingMind after an update: another store, another key, another shape.
CHANGES = {
    "store": "void (() => { const open = indexedDB.open.bind(indexedDB);"
    " indexedDB.open = (name, ...rest) => open(name === 'keyval-store' ? 'elsewhere' : name, ...rest); })()",
    "key": "app.put({...app.chat, chatID: 'elsewhere'}).then(() => app.remove('kxecrzvvc1'))",
    "shape": "app.get('kxecrzvvc1').then(chat => app.put({...chat, messages: {first: chat.messages[0]}}))",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_client_that_keeps_its_chats_in_another_way_is_not_written(
    paired: ChatClient, fake: FakeMemproc, change: str
) -> None:
    paired.run(CHANGES[change])
    paired.run("void document.querySelector('h1').append('!')")
    before = paired.run("app.get('kxecrzvvc1')")
    paired.says("TypingMind was updated")
    paired.press()
    paired.run("new Promise(resolve => setTimeout(resolve, 500))")
    paired.says("TypingMind was updated")
    assert fake.exports == []
    assert paired.run("app.get('kxecrzvvc1')") == before
    assert "elsewhere" not in str(paired.run("indexedDB.databases()"))


def test_the_only_chat_is_shown_anew_by_a_reload(client: ChatClient, fake: FakeMemproc) -> None:
    client.begin(TALK, script=fake.script)
    client.pair(CODE)
    client.says("1 memory due")
    client.run("void (window.before = true)")
    client.press()
    client.until(
        lambda: client.run("!window.before && app.messages.length > 0"), "the page is loaded anew"
    )
    assert client.drawn() == uuids(MEMORIES)
    client.says("Done")


def test_where_the_chat_cannot_be_shown_anew_the_pill_asks_for_a_reload(
    client: ChatClient, fake: FakeMemproc
) -> None:
    client.begin(TALK, script=fake.script)
    client.pair(CODE)
    client.says("1 memory due")
    client.type("a draft that a reload would lose")
    client.press()
    client.says("still shows the old one. Press to load the page")
    assert client.stored()["messages"] == MEMORIES
    assert client.drawn() == uuids(TALK["messages"])
    client.press()
    client.until(lambda: client.drawn() == uuids(MEMORIES), "the page is loaded anew")


def test_the_refresh_leaves_no_trace_in_the_history(paired: ChatClient) -> None:
    before = paired.run("history.length")
    compress(paired)
    assert paired.run("[history.length, location.hash]") == [before, f"#chat={CHAT_ID}"]


def test_a_url_that_was_added_twice_makes_one_pill(client: ChatClient, fake: FakeMemproc) -> None:
    client.begin(TALK, OTHER, script=fake.script)
    client.run(
        "localStorage.setItem('TM_useExtensionURLs', JSON.stringify([arguments[0], arguments[0] + '?2']))",
        fake.script,
    )
    client.load()
    client.says("press to pair")
    assert client.run("document.querySelectorAll('#memproc-bridge').length") == 1


def test_the_pill_outlives_whatever_the_client_draws(paired: ChatClient) -> None:
    paired.run(
        "void document.body.replaceChildren(...[...document.body.children].filter(e => e.id !== 'memproc-bridge'))"
    )
    paired.says("1 memory due")


def test_a_script_from_elsewhere_asks_for_the_port(fake: FakeMemproc, client: ChatClient) -> None:
    with started_browser("--host-resolver-rules=MAP memproc.example 127.0.0.1") as browser:
        stranger = ChatClient(browser, client.address)
        stranger.begin(
            TALK, OTHER, script=f"http://memproc.example:{fake.port}/bridge/typingmind.js"
        )
        stranger.says("press to pair")
        stranger.press()
        assert stranger.panel("[name=port]").get_attribute("value") == "27183"
        stranger.panel(".more").click()
        stranger.pair(CODE, fake.port)
        stranger.says("1 memory due")
        compress(stranger)
        assert stranger.stored()["messages"] == MEMORIES


def test_a_browser_that_forbids_the_local_network_is_told(
    fake: FakeMemproc, client: ChatClient
) -> None:
    port = client.address.rsplit(":", 1)[1].strip("/")
    with started_browser(f"--ip-address-space-overrides=127.0.0.1:{port}=public") as browser:
        public = ChatClient(browser, client.address)
        public.begin(TALK, OTHER)
        public.run("void import('data:text/javascript,')")
        script = (Path(__file__).parents[2] / "daemon" / "bridge" / "typingmind.js").read_text(
            encoding="utf-8"
        )
        browser.execute_script(script)
        public.pair(CODE, fake.port)
        public.says("may this page use the local network?")


def test_nothing_is_said_to_another_program_that_pairs_nobody(
    client: ChatClient, fake: FakeMemproc
) -> None:
    client.begin(TALK, OTHER, script=fake.script)
    client.says("press to pair")
    client.say("And then?")
    assert (fake.plans, fake.exports) == (0, [])
    assert said(client)[-2] == "And then?"
