"""Write what models read in an evaluation, and read the questions that they write.

WRITE    a chunk alone, and the form of its questions        context manager
CHECK    a chunk alone, and the questions about it           context manager
SEEN     a chunk alone, and the questions about it           the chat's own model
BLIND    the system message alone, and questions             the chat's own model
ASK      the finished chat, and questions at its end         the chat's own model

Requests with the same context begin alike: all but the first find it in the provider's cache.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from primer.fact_questions import read_json_values
from primer.prompt import BEGINNING, EMPTY, Turn, mark_prefix_end, passage_alone, question
from primer.wording import Texts, keep_inert, restore_tags
from rules.checks.form import find_rare_words
from rules.conversation.history import Entry
from rules.conversation.memory import Memory
from rules.conversation.quote import Verbatim, find_quote
from rules.evaluate.questions import CHOICES, OWN, EvalQuestion
from rules.typingmind.message import Message

WRITE, CHECK, BLIND, SEEN, ASK = "questions", "check", "blind test", "passage", "evaluation"
STEPS = frozenset({WRITE, CHECK, BLIND, SEEN, ASK})
"""The kinds of calls, as `memproc calls` lists them."""
WRITE_WORDS = 500
LETTER_WORDS = 40
_SAID = CHOICES - 1
_WRITER = """\
You write examination questions about a passage of a long conversation. The one who will be examined is the \
assistant of the conversation, much later, and may have forgotten it."""
_WRITE = """\
Write three questions that this passage answers, and one that it does not.

First ask about what the person wished for good, what was promised, dates and numbers, and facts that changed; then \
about what else will matter. Ask about what only this conversation can tell, never about general knowledge. A question \
names what it is about, without "the passage", says "you" for the assistant and "the person" for the person, and gives \
nothing away. Each has four choices that are plausible, differ clearly, and are alike in length and form. `passage` is \
one sentence, copied from one message character by character, that answers the question by itself. The fourth question, \
`unsaid`, asks for a detail that one would expect here and that was never said: none of its choices may be true.

Write in the language of the passage. Answer with this JSON alone:
{"questions": [{"question": "...", "right": "...", "wrong": ["...", "...", "..."], "passage": "..."}, ...],
"unsaid": {"question": "...", "choices": ["...", "...", "...", "..."]}}"""
_NOT_THESE = "These were asked before, so ask about something else:"
_ANSWER = """\
Here are questions about what is said above. Answer from that alone, each with the letter of one choice. Choose E where \
it was never said there; do not guess. Answer with one line for each question, its number and the letter, as in "1. B", and \
nothing else.

{questions}"""
_MISSED = "the memory before lacked these points of the passage, and this one has to hold them:"
PLAIN_JSON = (
    "The answer held a mark of a model's own format. The JSON alone, please, in plain words."
)
LETTERS_ALONE = '\n\nLetters alone, please: a line for each question, such as "1. B".'


def finished_chat(
    system_message: str,
    opening: str,
    memories: Sequence[Memory],
    closing: str,
    tail: Sequence[Message],
) -> tuple[Turn, ...]:
    """Return a finished chat as TypingMind sends it, without what TypingMind adds itself."""
    spoken = [
        Turn(message.speaker, message.text if message.text.strip() else EMPTY) for message in tail
    ]
    remembered = [
        Turn("assistant" if slot % 2 else "user", text)
        for memory in memories
        for slot, text in enumerate(memory.edition.texts)
    ]
    if memories:
        remembered = [Turn("user", opening), *remembered, Turn("user", closing)]
    elif [turn.role for turn in spoken[:1]] == ["assistant"]:
        remembered = [Turn("user", BEGINNING)]
    system = [Turn("system", system_message)] if system_message.strip() else []
    return (*system, *mark_prefix_end([*remembered, *spoken]))


def chunk_alone(texts: Texts, chunk: Sequence[Entry]) -> tuple[Turn, ...]:
    """Return what the context manager reads of a chunk before it is asked about it."""
    return tuple(mark_prefix_end([Turn("system", _WRITER), passage_alone(texts, chunk)[1]]))


def write_questions(chunk: Sequence[Turn], before: Sequence[EvalQuestion]) -> tuple[Turn, ...]:
    """Return the turns that ask for questions about a chunk, other than those `before`."""
    asked = "".join(f"\n- {keep_inert(question.text)}" for question in before)
    return (*chunk, question(f"{_WRITE}\n\n{_NOT_THESE}{asked}" if asked else _WRITE))


def read_questions(answer: str, memory: str, chunk: Sequence[Entry]) -> tuple[EvalQuestion, ...]:
    """Return the usable questions of an answer.

    Those are the ones whose passage is in the chunk, and the one on what was never said.
    """
    for value in read_json_values(answer):
        if isinstance(value, dict) and isinstance(value.get("questions"), list):
            said = (_said(entry, memory, chunk) for entry in value["questions"][:_SAID])
            unsaid = _unsaid(value.get("unsaid"), memory)
            return tuple(question for question in (*said, unsaid) if question)
    return ()


def _said(entry: object, memory: str, chunk: Sequence[Entry]) -> EvalQuestion | None:
    question = _about_passage(entry, memory, chunk)
    if question is None:
        return None
    # A good question has a rare word of its chunk that is not also in the instruction.
    own = find_rare_words(question.text) - find_rare_words(_WRITE)
    of_chunk = frozenset[str]().union(*(find_rare_words(entry.message.words) for entry in chunk))
    return None if own.isdisjoint(of_chunk) else question


def read_own(
    text: str, chunks: Mapping[str, Sequence[Entry]]
) -> tuple[EvalQuestion, ...] | int | None:
    """Return the person's own questions, each about the chunk that has its passage.

    Return None where the text is no list of such questions; or the number, from 1, of the first
    question that lacks a part, or whose passage is in no chunk. `chunks` are by the ids of their
    memories.
    """
    entries = next((value for value in read_json_values(text) if isinstance(value, list)), None)
    if not entries:
        return None
    questions = []
    for number, entry in enumerate(entries, 1):
        own = (_about_passage(entry, memory, chunk) for memory, chunk in chunks.items())
        question = next(filter(None, own), None)
        if question is None:
            return number
        questions.append(replace(question, seed=f"{OWN}{question.seed}"))
    return tuple(questions)


def _about_passage(entry: object, memory: str, chunk: Sequence[Entry]) -> EvalQuestion | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("wrong"), list):
        return None
    quote = find_quote(restore_tags(_line(entry.get("passage"))), chunk)
    if not isinstance(quote, Verbatim):
        return None
    choices = (entry.get("right"), *entry["wrong"])
    return _question(memory, quote.source, quote.text, entry.get("question"), choices)


def _unsaid(entry: object, memory: str) -> EvalQuestion | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("choices"), list):
        return None
    return _question(memory, "", "", entry.get("question"), entry["choices"])


def _question(
    memory: str, message: str, passage: str, text: object, given: Sequence[object]
) -> EvalQuestion | None:
    """Return a question with four different choices; None where a part is missing."""
    asked, choices = _line(text), tuple(map(_line, given))
    if not asked or len(choices) != CHOICES or len({*choices, ""}) <= CHOICES:
        return None
    seed = sha256(json.dumps([memory, asked, choices]).encode()).hexdigest()
    return EvalQuestion(memory, message, passage, asked, choices, seed)


def _line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def ask_questions(context: Sequence[Turn], posed: str, found: str = "") -> tuple[Turn, ...]:
    """Return a context with these questions at its end, after what was `found` for them."""
    asked = _ANSWER.format(questions=keep_inert(posed))
    return (*context, question(f"{keep_inert(found)}\n\n{asked}" if found else asked))


def describe_missed_points(questions: Sequence[EvalQuestion]) -> str:
    """Return what a memory lacked, as guidance for writing it again."""
    return "\n".join((_MISSED, *(f'- "{question.passage}"' for question in questions)))
