"""The voice of a chat's memories, compared with its persona's, with analyses, with another chat."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.journal import find_reply
from daemon.archive.messages import raw_conversation
from daemon.evaluate.subject import EvaluatedChat
from rules.conversation.memory import EXTRACTED, Edition
from rules.errors import DamagedChat
from rules.evaluate.report import Voice
from rules.typingmind.message import read_message, why_left_out
from rules.voice import LEAST_WORDS, measure_distances, read_prose
from rules.wording import cut_title

_ANSWERS = (3, 5)
"""The texts of a memory that its writer wrote: perspective and memory, but not the quote."""


def voice_of(archive: Archive, subject: EvaluatedChat) -> Voice:
    """Return how far the memories, and texts to compare with, are from the persona's own voice."""
    persona = read_prose(list(_texts_of(archive, subject.chat_id, "assistant")))
    if persona.words < LEAST_WORDS:
        few = f"the persona has said {persona.words:,} words, and {LEAST_WORDS:,} are needed"
        return Voice({}, persona.words, few)
    written = [memory.edition for memory in subject.shown if memory.edition.made != EXTRACTED]
    if not written:
        why_not = "its memories are extracted: sentences that were really said, and no voice of the persona's own"
        return Voice({}, persona.words, why_not)
    prose = {name: read_prose(own) for name, own in _texts(archive, subject, written)}
    of_memories = prose["memories"].words
    if of_memories < LEAST_WORDS:
        few = f"the memories have {of_memories:,} words, and {LEAST_WORDS:,} are needed"
        return Voice({}, persona.words, few)
    enough = {name: own for name, own in prose.items() if own.words >= LEAST_WORDS}
    apart = measure_distances(persona, enough)
    if apart is None:
        return Voice({}, persona.words, "the language of the chat has no list of function words")
    return Voice(apart, persona.words)


def _texts(
    archive: Archive, subject: EvaluatedChat, written: Sequence[Edition]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the texts that are compared with the persona's own words, each with a name."""
    yield "memories", [edition.texts[slot] for edition in written for slot in _ANSWERS]
    requests = [request for memory in subject.chunks for request in memory.in_prompts.requests]
    replies = (find_reply(archive, request) for request in requests)
    analyses = [reply.text for reply in replies if reply and reply.step == "analysis"]
    yield "analyses of the same chunks", analyses
    yield "the person", list(_texts_of(archive, subject.chat_id, "user"))
    known = known_chats(archive)
    others = [chat for chat in known if chat.chat_id != subject.chat_id and chat.messages]
    if others:
        longest = max(others, key=lambda chat: chat.messages)
        with suppress(DamagedChat):  # commands about that chat will report the damage
            texts = list(_texts_of(archive, longest.chat_id, "assistant"))
            yield f'the persona of "{cut_title(longest.title)}"', texts


def _texts_of(archive: Archive, chat_id: str, speaker: str) -> Iterator[str]:
    """Yield the words of a chat's raw messages by this speaker, except those left out."""
    for raw in raw_conversation(archive, chat_id).messages:
        message = read_message(raw)
        if message.speaker == speaker and why_left_out(message) is None:
            yield message.words
