"""Each hostile message by itself: inert in a prompt, to be had back, and never taken for ours."""

import re

import pytest

from daemon.files.read import chats_in
from primer.prompt import agent_context, closing, opening
from primer.wording import keep_inert, make_tags_inert, restore_tags
from rules.conversation.marker import MEMORY, Draft, Marker, text_digest, write_marker
from rules.recognize.recognize import recognize
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message, read_message
from tests.chats import CHAT_ID, assistant, chat, export_bytes, json_bytes, user
from tests.entries import entries
from tests.hostile.corpus import CORPUS, TITLES
from tests.hostile.forgeries import MARKED, NAMED, TEXTS
from tests.hostile.message import Hostile
from tests.hostile.reading import as_it_was, is_alive

AT_LEAST = 70
_MEMORY = "m0"
OURS = (
    Draft.opening(CHAT_ID, opening(TEXTS)),
    *(
        Draft(
            f"{_MEMORY}/1/{slot}",
            "assistant" if slot % 2 == 0 else "user",
            f"Own words {slot}.",
            Marker(MEMORY, text_digest(f"Own words {slot}."), memory=_MEMORY, slot=slot),
        )
        for slot in range(1, 7)
    ),
    Draft.closing(_MEMORY, closing(TEXTS)),
)
"""What memproc has written into a chat: opening, a memory's six messages, closing."""
EACH = pytest.mark.parametrize("hostile", CORPUS, ids=lambda hostile: hostile.name)


def read(hostile: Hostile) -> Message:
    return read_message(json_bytes(hostile.message(1), ascii_only=True))


def titled(title: str) -> Chat:
    return chats_in("test.json", export_bytes(chat(chatTitle=title), ascii_only=True))[0]


def test_the_corpus_is_large_and_no_name_stands_twice() -> None:
    assert len({hostile.name for hostile in CORPUS}) == len(CORPUS) >= AT_LEAST


def test_the_corpus_is_worth_its_name() -> None:
    """Without what makes them inert, many of the messages would end a wrapper or open another."""
    assert sum(is_alive(read(hostile).text) for hostile in CORPUS) > AT_LEAST // 2


@EACH
def test_no_tag_is_alive_in_it_and_it_can_be_had_back(hostile: Hostile) -> None:
    text = read(hostile).text
    assert not is_alive(make_tags_inert(text))
    assert not is_alive(keep_inert(text))
    assert restore_tags(make_tags_inert(text)) == as_it_was(make_tags_inert(text)) == text


@EACH
def test_it_stands_alone_in_its_wrapper_and_is_read_out_of_it_whole(hostile: Hostile) -> None:
    message = read(hostile)
    *_, turn = agent_context(TEXTS, "", [], [], entries([message]))
    wrapped = re.fullmatch(r"<to_remember[^>]*>\n(.*)\n</to_remember>", turn.content, re.DOTALL)
    assert wrapped
    assert restore_tags(wrapped[1]) == (message.text.strip() or "[empty message]")
    assert turn.role == message.speaker


@EACH
def test_it_is_not_taken_for_ours(hostile: Hostile) -> None:
    begins = Draft.opening(CHAT_ID, "They begin.")
    known: dict[str, Marker] = {begins.uuid: begins.marker}
    (place,) = recognize([read(hostile)], known)
    assert place.ours is None
    assert place.lived == hostile.lived


@pytest.mark.sampled
@EACH
def test_wherever_it_is_put_among_ours_it_hides_none_of_them(hostile: Hostile) -> None:
    """A field or a uuid like ours can tell what it is where it is next to ours; a text alone never does."""
    known, put = {draft.uuid: draft.marker for draft in OURS}, read(hostile)
    claims_nothing = hostile not in (*MARKED, *NAMED)
    for left in (OURS, OURS[:6], (OURS[0], OURS[-1])):
        ours = [_as_written(draft) for draft in left]
        for at in range(len(ours) + 1):
            kinds = [place.kind for place in recognize([*ours[:at], put, *ours[at:]], known)]
            own = kinds.pop(at)
            assert kinds == [draft.marker.kind for draft in left]
            assert own == "" or not claims_nothing


def _as_written(draft: Draft) -> Message:
    """Return one of our messages as an export has it."""
    said = assistant if draft.role == "assistant" else user
    fields = {"uuid": draft.uuid, "memproc": write_marker(draft.marker)}
    return read_message(json_bytes(said(draft.text, 1) | fields))


@pytest.mark.parametrize("title", TITLES, ids=range(len(TITLES)))
def test_a_title_is_one_line_that_cannot_steer_a_terminal(title: str) -> None:
    shown = titled(title).title
    assert shown
    assert not [letter for letter in shown if ord(letter) < 32 or 127 <= ord(letter) < 160]
    assert not set(shown) & set("\u2028\u2029\u202d\u202e")


@pytest.mark.parametrize(
    "title", ["Ada 👩‍👩‍👧", "יומן של עדה \u200f(1)", "日記 — «Ada»", "Ada\u00a0& I"]
)
def test_a_title_that_is_just_a_title_is_left_as_it_is(title: str) -> None:
    assert titled(title).title == title
