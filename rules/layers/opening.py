"""The opening with core memory and facts in it: written, read back, and compared for edits.

        what the person or memproc wrote above
    ## persona                 a heading for each section of the core memory
    ## Kept, word for word
    - 2024-03-04, the person said:
    What the person has marked, as it was said.

    ## facts
    - 2024-03-05: A fact.

Lines of a text that would be read as part of this form are made inert, reversibly (J is a word
joiner, U+2060, which is invisible):

    ## persona      becomes  J## persona
    spaces at end   becomes  spaces at endJ  as an editor may remove white space at a line's end
    an empty line   becomes  J               only at the beginning and at the end of a text

Where there are joiners already, one more is added, so that removing one restores the text.

The person's edits in TypingMind are found by comparing with the opening that the export was given,
not with the archive: what has happened to core memory and facts since then is not their edit.

Reading tolerates what editors do: other line breaks, white space at the end of lines, and further
empty lines between the parts change nothing. The caller makes tags in the texts inert.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from rules.layers.core import Section

JOINER = "\u2060"
"""An invisible character; it also keeps one of our tags in a quote from being read as a tag."""
_BREAK, _SPACE = r"\n", r"[^\S\n]"
_HEADING = re.compile(rf"^(?={JOINER}*+##(?!#))", re.MULTILINE)
_INERT_HEADING = re.compile(rf"^{JOINER}(?={JOINER}*+##(?!#))", re.MULTILINE)
_END = re.compile(rf"(?:^{JOINER}++|{_SPACE}{JOINER}*+)$", re.MULTILINE)
_INERT_END = re.compile(rf"(^|{_SPACE}){JOINER}({JOINER}*+)$", re.MULTILINE)
_BARE = re.compile(rf"\A(?={_BREAK})|(?<={_BREAK})\Z")
FACTS = "facts"
"""The heading above the facts; no section may have this name."""
KEPT = "Kept, word for word"
"""The heading above the passages that the person keeps; no section may have this name."""
HEADING = "##"
_TAGGED = re.compile(r"<system>\n(.*)\n</system>", re.DOTALL)
_BULLET = re.compile(r"[-*•](?:\s+|$)")
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_DATED = re.compile(rf"({_DAY}):\s*(.*)")
_DAY_IN_FRONT = re.compile(rf"\A(?={JOINER}*+{_DAY}:)")
_INERT_DAY = re.compile(rf"\A{JOINER}(?={JOINER}*+{_DAY}:)")
_SPEAKERS: dict[str, "Speaker"] = {"the person": "user", "you": "assistant"}
_SAID = rf"[-*•] (?:({_DAY}), )?({'|'.join(_SPEAKERS)}) said:"
_SAID_LINE = re.compile(rf"^{_SAID}$", re.MULTILINE)
_LIKE_SAID = re.compile(rf"^(?={JOINER}*+{_SAID}{_SPACE}*+{JOINER}*+$)", re.MULTILINE)

Speaker = Literal["user", "assistant"]
Rows = tuple[tuple[str, ...], ...]

_LEAST_LIKENESS = 0.6
"""The least ratio of two facts' texts of which one is the other, reworded."""


def make_inert(text: str) -> str:
    """Return the text without headings, trailing white space, or empty lines at its ends."""
    return _BARE.sub(JOINER, _END.sub(rf"\g<0>{JOINER}", _HEADING.sub(JOINER, text)))


def restore_lines(text: str) -> str:
    """Return the text as it was before `make_inert`."""
    return _INERT_HEADING.sub("", _INERT_END.sub(r"\1\2", text))


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact as the opening shows it. `day` is an ISO day, or empty."""

    day: str
    text: str


@dataclass(frozen=True, slots=True)
class KeptLine:
    """A passage that the person keeps, as the opening shows it. `day` is an ISO day, or empty."""

    day: str
    speaker: Speaker
    text: str

    @property
    def compared(self) -> tuple[str, str, str]:
        """Return the parts to compare it by, which do not depend on white space."""
        return self.day, self.speaker, one_line(self.text.replace(JOINER, ""))


@dataclass(frozen=True, slots=True)
class OpeningEdits:
    """The person's edits of an opening except its preface; all empty if they changed nothing."""

    sections: Mapping[str, str]
    """The new text of each section that was changed; empty where its heading or text is gone."""
    changed: tuple[tuple[FactLine, FactLine], ...]
    """Facts with another day or other words: the old line, and the new one."""
    removed: tuple[FactLine, ...]
    added: tuple[FactLine, ...]
    released: tuple[KeptLine, ...] = ()
    """Kept passages that were removed, not counting those that were only reworded."""
    kept: tuple[KeptLine, ...] = ()
    """Kept passages that were added or reworded."""


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening that was read."""

    preface: str
    """The words before the sections and the sentence that introduces them."""
    sections: Mapping[str, str]
    """The text below each section's heading, or "". A list has a line `- entry` for each entry."""
    facts: tuple[FactLine, ...]
    headed: bool
    """Whether it has at least one heading: of a section, of the facts, or of what is kept."""
    kept: tuple[KeptLine, ...] = ()
    """What is kept word for word, without joiners."""


def one_line(text: str) -> str:
    """Return a fact's text as the opening has it: on a single line, with single spaces."""
    return " ".join(text.split())


def fact_line(fact: FactLine) -> str:
    """Return the line of a fact. A text that begins like a day is made inert."""
    text_shown = _DAY_IN_FRONT.sub(JOINER, one_line(fact.text))
    return f"- {fact.day}: {text_shown}" if fact.day else f"- {text_shown}"


def fact_row(fact: FactLine) -> tuple[str, str]:
    """Return what our marker records of a fact: its day, and the digest of its line."""
    return fact.day, _digest_of_line(fact_line(fact))


def _digest_of_line(line: str) -> str:
    """Return a line's SHA-256, cut to eight hex digits: enough to tell an opening's lines apart."""
    return hashlib.sha256(line.encode()).hexdigest()[:8]


def rows_shown(opening: Opening) -> tuple[Rows, Rows, Rows]:
    """Return what our marker records of an opening.

    That is a row with a digest for each section, fact and kept passage.
    """
    sections = [
        (name, _digest_of_line(make_inert(text))) for name, text in opening.sections.items()
    ]
    kept = []
    for line in opening.kept:
        day, speaker, words = line.compared
        kept.append((day, speaker, _digest_of_line(words)))
    return tuple(sections), tuple(map(fact_row, opening.facts)), tuple(kept)


def read_opening(text: str, names: Collection[str], introduction: str) -> Opening:
    """Read an opening, with or without its tag; `names` are the sections that it may show.

    Text between the introduction and the first heading belongs to the preface. Without any heading,
    all of the text is the preface, byte for byte. A heading that occurs twice has the texts of
    both.
    """
    tagged = _TAGGED.fullmatch(text.strip().replace("\r\n", "\n"))
    text = tagged[1] if tagged else text
    head, blocks = _blocks(text, {*names, FACTS, KEPT})
    if not blocks:
        return Opening(text, {}, (), headed=False)
    facts = tuple(_facts("\n".join(blocks.pop(FACTS, []))))
    kept = tuple(_kept_lines("\n".join(blocks.pop(KEPT, []))))
    sections = {name: restore_lines(_join(parts)) for name, parts in blocks.items()}
    introduced = make_inert(introduction)
    if introduced:
        before, _, after = head.rpartition(introduced)
        head = _join([before.strip("\n"), after.strip("\n")])
    preface = restore_lines(head.strip("\n"))
    return Opening(preface, sections, facts, headed=True, kept=kept)


def _blocks(text: str, names: Collection[str]) -> tuple[str, dict[str, list[str]]]:
    """Cut a text at the headings with these names.

    Return what precedes the first of them, and the texts below each.
    """
    head: list[str] = []
    lines_below: list[tuple[str, list[str]]] = []
    lines = head
    for line in text.replace("\r\n", "\n").split("\n"):
        name = line.removeprefix(HEADING).strip() if line.startswith(HEADING) else ""
        if name in names:
            lines = []
            lines_below.append((name, lines))
        else:
            lines.append(line.rstrip())
    blocks: dict[str, list[str]] = {}
    for name, lines in lines_below:
        blocks.setdefault(name, []).append(_without_ends(lines))
    return _without_ends(head), blocks


def _without_ends(lines: Sequence[str]) -> str:
    return "\n".join(lines).strip("\n")


def _join(parts: Iterable[str]) -> str:
    """Join those parts that are not empty, with an empty line between them."""
    return "\n\n".join(part for part in parts if part)


def _facts(text: str) -> Iterator[FactLine]:
    """Yield the facts of a text; one that begins with a day is dated.

    An indented line without a bullet continues the line before it.
    """
    joined: list[str] = []
    for line in text.split("\n"):
        words = line.strip()
        bullet = _BULLET.match(words)
        if bullet:
            joined.append(words[bullet.end() :])
        elif words and joined and line[0].isspace():
            joined[-1] = f"{joined[-1]} {words}"
        elif words:
            joined.append(words)
    for line in joined:
        dated = _DATED.fullmatch(line)
        day, words = dated.groups() if dated else ("", line)
        if words:
            yield FactLine(day, _INERT_DAY.sub("", one_line(words)))


def kept_block(lines: Sequence[KeptLine]) -> str:
    """Return the heading with the kept passages below it; "" where there are none.

    Lines of a passage that would be read as part of this form are made inert; nothing else is
    changed.
    """
    if not lines:
        return ""
    names = {speaker: name for name, speaker in _SPEAKERS.items()}
    entries = []
    for line in lines:
        day = f"{line.day}, " if line.day else ""
        words = make_inert(_LIKE_SAID.sub(JOINER, line.text))
        entries.append(f"- {day}{names[line.speaker]} said:\n{words}")
    return f"{HEADING} {KEPT}\n" + "\n\n".join(entries)


def _kept_lines(text: str) -> Iterator[KeptLine]:
    """Yield the kept passages of a text; what is above the first one is ignored."""
    _, *parts = _SAID_LINE.split(text)  # each day and speaker, and the words below them
    for day, speaker, said in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        words = said.strip("\n").replace(JOINER, "")
        if words:
            yield KeptLine(day or "", _SPEAKERS[speaker], words)


def write_opening(
    preface: str,
    introduction: str,
    core: Sequence[Section],
    facts: Sequence[FactLine],
    kept: Sequence[KeptLine] = (),
) -> str:
    """Return the opening's text, without its tag; a preface alone is returned byte for byte.

    Sections without a value and facts without words are left out. The facts stay in the order
    given. The introduction is about sections and facts, and is left out where there are none.
    """
    sections = [
        f"{HEADING} {section.name}\n{make_inert(section.rendered)}"
        for section in core
        if section.rendered
    ]
    lines = [fact_line(fact) for fact in facts if one_line(fact.text)]
    listed = "\n".join([f"{HEADING} {FACTS}", *lines]) if lines else ""
    block = kept_block(kept)
    if not sections and not listed and not block:
        return preface
    introduced = make_inert(introduction) if sections or listed else ""
    return _join([make_inert(preface), introduced, *sections, block, listed])


def compare_openings(before: Opening, after: Opening) -> OpeningEdits | None:
    """Return the person's edits: how the present opening differs from the one before.

    The order of facts is ignored. Return None where every heading is gone: the person has removed
    or replaced the whole part, which is no edit of its sections and facts.
    """
    if before.headed and not after.headed:
        return None
    gone = _without(before.facts, after.facts)
    new = _without(after.facts, before.facts)
    changed = _pair_reworded(gone, new)
    # A missing passage was only reworded where one with its day and speaker is new.
    new_passages, missing = _other_passages(after, before), _other_passages(before, after)
    reworded = {(line.day, line.speaker) for line in new_passages}
    texts = {name: after.sections.get(name, "") for name in (*before.sections, *after.sections)}
    return OpeningEdits(
        sections={
            name: text for name, text in texts.items() if text != before.sections.get(name, "")
        },
        changed=changed,
        removed=_without(gone, [old for old, _ in changed]),
        added=_without(new, [reworded_line for _, reworded_line in changed]),
        released=tuple(line for line in missing if (line.day, line.speaker) not in reworded),
        kept=new_passages,
    )


def _other_passages(opening: Opening, other: Opening) -> tuple[KeptLine, ...]:
    """Return the kept passages of an opening that the other one lacks."""
    known = {line.compared for line in other.kept}
    return tuple(line for line in opening.kept if line.compared not in known)


def _without(lines: Iterable[FactLine], others: Iterable[FactLine]) -> tuple[FactLine, ...]:
    """Return the lines without the others, each of which takes out one equal line."""
    return tuple((Counter(lines) - Counter(others)).elements())


def _pair_reworded(
    gone: Sequence[FactLine], new: Sequence[FactLine]
) -> tuple[tuple[FactLine, FactLine], ...]:
    """Pair lines that are alike, each line at most once, the most alike first.

    The pairs are in the order of `gone`.
    """
    alike: list[tuple[float, int, int]] = []
    for i, before in enumerate(gone):
        for j, after in enumerate(new):
            matcher = SequenceMatcher(None, before.text, after.text)
            is_alike = matcher.quick_ratio() >= _LEAST_LIKENESS  # an upper bound of the ratio
            if is_alike and matcher.ratio() >= _LEAST_LIKENESS:
                alike.append((-matcher.ratio(), i, j))
    pairs: dict[int, int] = {}
    for _, i, j in sorted(alike):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return tuple((gone[i], new[pairs[i]]) for i in sorted(pairs))
