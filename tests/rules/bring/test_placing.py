"""Which chat a newer export of a conversation goes into."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from rules.bring.conversation import name_uuid
from rules.bring.placing import HeldChat, MessageName, Placement, place_conversation

NAMES = ("chatgpt", "c1")
FIRST = name_uuid("chat", *NAMES)


def said(*texts: str) -> list[MessageName]:
    return [MessageName(name_uuid(*NAMES, text), f"digest of {text}") for text in texts]


def in_typingmind(text: str) -> MessageName:
    return MessageName(str(UUID(int=7, version=4)), text)


def place(
    wanted: list[MessageName], untouched: bool = False, **held: tuple[list[MessageName], bool]
) -> Placement:
    chats = {
        FIRST if name == "first" else name_uuid("chat", *NAMES, name_uuid(*NAMES, name[3:])): HeldChat(*chat)
        for name, chat in held.items()
    }  # fmt: skip
    return place_conversation(wanted, NAMES, chats.get, untouched=untouched)


def second(text: str) -> str:
    return name_uuid("chat", *NAMES, name_uuid(*NAMES, text))


def test_a_conversation_that_was_never_brought_gets_a_chat_of_its_own() -> None:
    assert place(said("a", "b")) == Placement(FIRST, 2, is_known=False)


def test_new_messages_go_into_the_same_chat_while_no_updated_file_was_written() -> None:
    placed = place(said("a", "b", "c"), first=(said("a", "b"), False))
    assert placed == Placement(FIRST, 1, is_known=True)


def test_once_a_file_was_written_only_the_persons_word_keeps_it_in_the_same_chat() -> None:
    written = (said("a", "b"), True)
    assert place(said("a", "b", "c"), untouched=True, first=written).chat_id == FIRST
    placed = place(said("a", "b", "c"), first=written)
    assert (placed.chat_id, placed.new, placed.is_known, placed.number) == (
        second("c"),
        3,
        False,
        2,
    )
    assert "--untouched" in placed.reason


def test_what_was_said_in_typingmind_makes_it_a_second_chat_whatever_the_person_says() -> None:
    held = ([*said("a", "b"), in_typingmind("x")], True)
    placed = place(said("a", "b", "c"), untouched=True, first=held)
    assert placed.chat_id == second("c")
    assert "in TypingMind" in placed.reason


def test_a_branch_that_changed_before_its_end_becomes_a_second_chat() -> None:
    placed = place(said("a", "x", "c"), first=(said("a", "b"), False))
    assert placed.chat_id == second("x")
    assert "changed before its end" in placed.reason


def test_the_second_chat_goes_on_as_the_first_did() -> None:
    own = ([*said("a"), in_typingmind("x")], True)
    placed = place(said("a", "b", "c"), first=own, at_b=(said("a", "b"), False))
    assert (placed.chat_id, placed.new, placed.is_known) == (second("b"), 1, True)


def test_with_nothing_new_nothing_changes() -> None:
    held = ([*said("a", "b"), in_typingmind("x")], True)
    assert place(said("a", "b"), first=held) == Placement(FIRST, 0, is_known=True)


TEXTS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=5)


@given(wanted=TEXTS, chats=st.dictionaries(st.integers(0, 5), TEXTS), untouched=st.booleans())
def test_it_ends_and_never_adds_to_a_chat_that_holds_anything_else(
    wanted: list[str], chats: dict[int, list[str]], untouched: bool
) -> None:
    ids: list[str] = []

    def held(chat_id: str) -> HeldChat | None:
        ids.append(chat_id)
        texts = chats.get(len(set(ids)) - 1)
        return None if texts is None else HeldChat(said(*texts), is_written=True)

    placed = place_conversation(said(*wanted), NAMES, held, untouched=untouched)
    if placed.is_known and placed.new:
        inside = chats[len(set(ids)) - 1]
        assert untouched
        assert said(*wanted)[: len(inside)] == said(*inside)
