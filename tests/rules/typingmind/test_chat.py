"""What a chat says of itself, wherever its fields stand and whatever is missing."""

import pytest

from daemon.files.read import chats_in
from rules.errors import ChatSkipped, NotAnExport
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.spans import LONGEST_TEXT
from tests.chats import chat, export_bytes, json_bytes, user, written
from tests.exports.chats import CHATS

ODD = [None, True, 0, 7, 1.5, [], ["a"]]
"""What a field holds that should hold something else."""


def found(fields: object) -> Chat:
    return chats_in("x.json", json_bytes({"data": {"chats": [fields]}}, ascii_only=True))[0]


@pytest.mark.parametrize(
    ("fields", "chat_id"),
    [
        ({"id": "a", "chatID": "b"}, "b"),
        ({"id": "a"}, "a"),
        ({"id": "a", "chatID": ""}, "a"),
        ({"id": "a", "chatID": True}, "a"),
    ],
)
def test_a_chat_is_known_by_its_chat_id_or_else_by_its_id(fields: object, chat_id: str) -> None:
    assert found(fields).chat_id == chat_id


@pytest.mark.parametrize("fields", [{}, {"id": None, "chatTitle": "T"}, {"id": [], "chatID": ""}])
def test_a_chat_without_any_id_is_skipped(fields: object) -> None:
    with pytest.raises(ChatSkipped, match="neither `chatID` nor `id`"):
        _ = found(fields).chat_id


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        (" The sea ", "The sea"),
        ("", "Untitled"),
        (None, "Untitled"),
        ([], "Untitled"),
        ("\ud83d", "\ufffd"),
    ],
)
def test_the_title_is_what_the_person_sees(title: object, shown: str) -> None:
    assert found({"chatTitle": title}).title == shown
    assert found({}).title == "Untitled"


def test_half_a_surrogate_pair_in_a_chat_can_be_stored_and_shown() -> None:
    one = found(
        {"chatID": "a\ud83d", "folderID": "\udc00", "chatParams": {"systemMessage": "\ud83d!"}}
    )
    assert (one.chat_id, one.folder_id, one.system_message) == ("a\ufffd", "\ufffd", "\ufffd!")


@pytest.mark.parametrize(
    ("deleted_at", "deleted"), [(None, False), ("2024-11-07T09:00:00.000Z", True)]
)
def test_a_chat_in_the_bin_is_known(deleted_at: object, deleted: bool) -> None:
    assert found({"deletedAt": deleted_at}).deleted is deleted
    assert not found({}).deleted


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {
                "chatParams": {"systemMessage": "You are Ada."},
                "character": {"instruction": "Be B."},
            },
            "You are Ada.",
        ),
        ({"chatParams": {"systemMessage": " "}, "character": {"instruction": "Be B."}}, "Be B."),
        ({"chatParams": None, "character": {"instruction": "Be B."}}, "Be B."),
        ({"chatParams": {"systemMessage": []}, "character": {"id": "a"}}, ""),
        ({"character": None}, ""),
        ({}, ""),
    ],
)
def test_the_system_message_is_the_chats_or_else_its_agents(fields: object, message: str) -> None:
    assert found(fields).system_message == message


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"modelInfo": {"id": "gpt-4o", "title": "GPT-4o"}, "model": "3f3f"}, ("gpt-4o", "3f3f")),
        ({"modelInfo": {"title": "GPT-4o"}, "model": "gpt-4o"}, ("gpt-4o",)),
        ({"modelInfo": {"id": "gpt-4o"}}, ("gpt-4o",)),
        ({"modelInfo": None, "model": None}, ()),
        ({"modelInfo": [7], "model": {"id": "gpt-4o"}}, ()),
        ({"modelInfo": {"id": ""}, "model": "a\ud83d"}, ("a\ufffd",)),
        ({}, ()),
    ],
)
def test_what_the_chat_calls_its_model_is_known_as_far_as_it_is_text(
    fields: object, names: tuple[str, ...]
) -> None:
    assert found(fields).model_names == names


def test_the_folder_is_known_where_there_is_one() -> None:
    assert found({"folderID": "f1"}).folder_id == "f1"
    assert found({"folderID": None}).folder_id is None
    assert found({}).folder_id is None


def test_a_field_keeps_the_spelling_of_its_numbers() -> None:
    assert found({"tokenUsage": {"totalCostUSD": written("69.2240")}}).field("tokenUsage") == {
        "totalCostUSD": "69.2240"
    }


def test_a_field_that_is_not_there_is_none() -> None:
    assert found({}).field("tokenUsage") is None
    assert found({}).member("tokenUsage") is None


@pytest.mark.parametrize("name", CHATS)
def test_every_shape_of_chat_gives_all_its_messages(name: str) -> None:
    one = chats_in("x.json", export_bytes(CHATS[name], ascii_only=True))[0]
    assert len(read_messages(one)) == len(CHATS[name].get("messages", []))


@pytest.mark.parametrize("entry", [None, 7, "hello", [], True])
def test_an_entry_that_is_no_object_sets_the_chat_aside_and_says_which(entry: object) -> None:
    with pytest.raises(ChatSkipped, match=r'Message 2 of the chat "T" is not a message') as caught:
        read_messages(found({"chatTitle": "T", "messages": [user("a"), entry]}))
    assert "Export the chat again" in caught.value.next_step


@pytest.mark.parametrize("messages", [None, {}, "[]", 7])
def test_messages_that_are_no_list_set_this_chat_aside_and_not_its_whole_file(
    messages: object,
) -> None:
    good = {"chatTitle": "Good", "messages": [user("a")]}
    chats = chats_in(
        "x.json", json_bytes({"chats": [{"chatTitle": "T", "messages": messages}, good]})
    )
    with pytest.raises(ChatSkipped, match='The `messages` of the chat "T" are no list'):
        read_messages(chats[0])
    assert len(read_messages(chats[1])) == 1


@pytest.mark.parametrize("odd", ODD)
def test_a_chat_that_is_no_object_is_skipped_and_not_its_whole_file(odd: object) -> None:
    chats = chats_in("x.json", json_bytes({"chats": [odd, {"chatID": "good"}]}))
    with pytest.raises(ChatSkipped, match="neither `chatID` nor `id`"):
        _ = chats[0].chat_id
    assert chats[1].chat_id == "good"


@pytest.mark.parametrize("odd", [*ODD, {}, {"a": 1}])
def test_fields_that_hold_no_text_are_treated_as_absent(odd: object) -> None:
    fields = ("chatTitle", "folderID", "updatedAt")
    chat = found(
        {
            "chatID": "c",
            "model": odd,
            "modelInfo": {"id": odd},
            "chatParams": odd,
            **dict.fromkeys(fields, odd),
        }
    )
    assert (chat.title, chat.folder_id, chat.text_field("updatedAt")) == ("Untitled", None, "")
    assert (chat.model_names, chat.system_message) == ((), "")


def test_a_message_that_no_model_could_read_sets_its_chat_aside_and_an_image_does_not() -> None:
    long = "The tide was high. " * (LONGEST_TEXT // 19 + 1)
    with pytest.raises(ChatSkipped, match='Message 2 of the chat "T" is a text of 4 MiB'):
        read_messages(found({"chatTitle": "T", "messages": [user("a"), user(long)]}))
    image = [{"type": "text", "text": "Look!"}, {"type": "image_url", "image_url": {"url": long}}]
    assert read_messages(found({"messages": [user("", content=image)]}))[0].words == "Look!"


@pytest.mark.parametrize("zero", [0, 0.0, False, None, ""])
def test_a_chat_is_in_the_bin_where_typingmind_takes_its_date_for_one(zero: object) -> None:
    assert not found({"deletedAt": zero}).deleted
    assert found({"deletedAt": 1732000000000}).deleted


def test_sync_data_with_a_doubled_key_is_refused_before_anything_is_added_to_it() -> None:
    data = export_bytes(chat()).replace(b'"deletedMessageUUIDs":[]', b'"a":1,"a":2')
    with pytest.raises(NotAnExport, match='"a" stands twice'):
        chats_in("x.json", data)


def test_keys_that_javascript_treats_in_its_own_way_are_fields_like_others() -> None:
    one = chats_in("x.json", export_bytes(CHATS["integer keys"]))[0]
    assert [member.key for member in one.members][-4:] == ["10", "9", "", "__proto__"]


@pytest.mark.parametrize(
    ("character", "persona"),
    [
        ({"id": "a", "title": "Ada\n\u202e", "avatarURL": ""}, "Ada"),
        ({"title": "Ada", "instruction": "You keep a lighthouse."}, "Ada"),
        ({"title": 7}, ""),
        (None, ""),
        ("Ada", ""),
    ],
)
def test_the_persona_has_the_name_of_its_agent(character: object, persona: str) -> None:
    assert found({"character": character}).persona == persona
