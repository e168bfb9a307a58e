"""The opening with core memory and facts in it: written, read back, and compared for edits.

        what the person or memproc wrote above
    ## persona                 a heading for each section of the core memory
    ## Kept, word for word
    - 2024-03-04, the person said:
    What the person has marked, as it was said.

    ## facts
    - 2024-03-05: A fact.

Lines that would read as this form are made inert, and can be had back (J is a word joiner, U+2060,
which shows as nothing):

    ## persona      becomes  J## persona
    spaces at end   becomes  spaces at endJ  an editor may remove white space from the end of a line
    an empty line   becomes  J               at the beginning and at the end of a text alone

Where there are joiners already, it is one more, so that nothing is lost: taking one out undoes it.

What the person did in TypingMind to the sections and the facts is compared with the opening that
was there, not with the archive: what has happened to core memory and facts since is not their edit.

It is read back as people's editors leave it: other line breaks, white space at the end of lines,
and further empty lines between the parts change nothing. Tags are not made inert here: who passes
the texts has done so.
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
"""It shows as nothing; it also keeps a tag of ours in a quote from being one."""
_BREAK, _SPACE = r"\n", r"[^\S\n]"
_HEADING = re.compile(rf"^(?={JOINER}*+##(?!#))", re.MULTILINE)
_INERT_HEADING = re.compile(rf"^{JOINER}(?={JOINER}*+##(?!#))", re.MULTILINE)
_END = re.compile(rf"(?:^{JOINER}++|{_SPACE}{JOINER}*+)$", re.MULTILINE)
_INERT_END = re.compile(rf"(^|{_SPACE}){JOINER}({JOINER}*+)$", re.MULTILINE)
_BARE = re.compile(rf"\A(?={_BREAK})|(?<={_BREAK})\Z")
FACTS = "facts"
"""The heading above the facts; no section has this name."""
KEPT = "Kept, word for word"
"""The heading above the passages that the person keeps; no section has this name."""
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

_ALIKE = 0.6


def make_inert(text: str) -> str:
    """Return the text without headings, trailing white space, or empty lines at its ends."""
    return _BARE.sub(JOINER, _END.sub(rf"\g<0>{JOINER}", _HEADING.sub(JOINER, text)))


def restore_lines(text: str) -> str:
    """Return the text as it was before `make_inert`."""
    return _INERT_HEADING.sub("", _INERT_END.sub(r"\1\2", text))


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact as the opening shows it. `day` is as in 2024-03-05, or empty."""

    day: str
    text: str


@dataclass(frozen=True, slots=True)
class KeptLine:
    """A passage that the person keeps, as the opening shows it. `day` is as in 2024-03-05."""

    day: str
    speaker: Speaker
    text: str

    @property
    def compared(self) -> tuple[str, str, str]:
        """Return it as it is compared, whatever an editor did to its white space."""
        return self.day, self.speaker, one_line(self.text.replace(JOINER, ""))


@dataclass(frozen=True, slots=True)
class OpeningEdits:
    """The person's edits of an opening, but for its preface; empty where they changed nothing."""

    sections: Mapping[str, str]
    """The new text of each section that was changed; empty where its heading or text is gone."""
    changed: tuple[tuple[FactLine, FactLine], ...]
    """Facts with another day or other words: the old line, and the new one."""
    removed: tuple[FactLine, ...]
    added: tuple[FactLine, ...]
    released: tuple[KeptLine, ...] = ()
    """Kept passages that were taken out. One that was only reworded is none of them."""
    kept: tuple[KeptLine, ...] = ()
    """Kept passages that are new in it."""


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening, as it reads."""

    preface: str
    """The words before the sections and the sentence that introduces them."""
    sections: Mapping[str, str]
    """The text below each section's heading, or empty. A list has a line `- entry` for each."""
    facts: tuple[FactLine, ...]
    headed: bool
    """It has at least one heading, of a section, of the facts or of what is kept."""
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
    """Return what our marker says of a fact: its day, and the digest of its line."""
    return fact.day, _digest_of_line(fact_line(fact))


def _digest_of_line(line: str) -> str:
    """Return the SHA-256 of what shows a value, shortened: it tells lines of one opening apart."""
    return hashlib.sha256(line.encode()).hexdigest()[:8]


def rows_shown(opening: Opening) -> tuple[Rows, Rows, Rows]:
    """Return what our marker says of an opening: its sections, its facts, and what it keeps.

    Each with the digest of what shows it.
    """
    sections = []
    for name, text in opening.sections.items():
        sections.append((name, _digest_of_line(make_inert(text))))
    kept = []
    for line in opening.kept:
        day, speaker, words = line.compared
        kept.append((day, speaker, _digest_of_line(words)))
    return tuple(sections), tuple(map(fact_row, opening.facts)), tuple(kept)


def read_opening(text: str, names: Collection[str], introduction: str) -> Opening:
    """Read an opening, in its tag or without it; `names` are the sections that it may show.

    Text between the introduction and the first heading is the end of the preface. Without any
    heading, all of it is the preface, to the byte. A heading that occurs twice has the texts of
    both.
    """
    tagged = _TAGGED.fullmatch(text.strip().replace("\r\n", "\n"))
    text = tagged[1] if tagged else text
    head, blocks = _blocks(text, {*names, FACTS, KEPT})
    if not blocks:
        return Opening(text, {}, (), headed=False)
    facts = tuple(_facts("\n".join(blocks.pop(FACTS, []))))
    kept = tuple(_kept_lines("\n".join(blocks.pop(KEPT, []))))
    sections: dict[str, str] = {}
    for name, parts in blocks.items():
        sections[name] = restore_lines(_joined(parts))
    introduced = make_inert(introduction)
    if introduced:
        before, _, after = head.rpartition(introduced)
        head = _joined([before.strip("\n"), after.strip("\n")])
    preface = restore_lines(head.strip("\n"))
    return Opening(preface, sections, facts, headed=True, kept=kept)


def _blocks(text: str, names: Collection[str]) -> tuple[str, dict[str, list[str]]]:
    """Cut a text at the headings of these names: what is before the first, and below each."""
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


def _joined(parts: Iterable[str]) -> str:
    """Return those parts that are not empty, with an empty line between them."""
    return "\n\n".join(part for part in parts if part)


def _facts(text: str) -> Iterator[FactLine]:
    """Yield the facts below their heading; what begins with a day is dated.

    An indented line without a bullet goes on with the one before it.
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
    """Return the heading with the kept passages below it; empty where there are none.

    What in a passage would read as this form is made inert. Nothing else of it is changed.
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


def _kept_lines(text: str) -> list[KeptLine]:
    """Read the passages below their heading; what is above the first one is none."""
    heads = list(_SAID_LINE.finditer(text))
    stop = len(text)
    lines: list[KeptLine] = []
    for head in reversed(heads):
        words = text[head.end() : stop].strip("\n").replace(JOINER, "")
        if words:
            lines.append(KeptLine(head[1] or "", _SPEAKERS[head[2]], words))
        stop = head.start()
    return lines[::-1]


def write_opening(
    preface: str,
    introduction: str,
    core: Sequence[Section],
    facts: Sequence[FactLine],
    kept: Sequence[KeptLine] = (),
) -> str:
    """Return the opening's text, without its tag; the preface alone, to the byte, if it is all.

    Sections without a value and facts without words are left out. The facts stay in the order
    given. The introduction speaks of sections and facts, and is left out where there are none.
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
    return _joined([make_inert(preface), introduced, *sections, block, listed])


def edits_of_opening(base: Opening, theirs: Opening) -> OpeningEdits | None:
    """Compare the opening as it was with the present one. The order of facts is ignored.

    None where every heading is gone: then the person has thrown the whole part away or replaced it,
    and that is no edit of its sections and facts.
    """
    if base.headed and not theirs.headed:
        return None
    gone = _without(base.facts, theirs.facts)
    new = _without(theirs.facts, base.facts)
    changed = _reworded(gone, new)
    # A passage was only reworded where another one of its day and speaker is new.
    new_passages, taken_out = _other_passages(theirs, base), _other_passages(base, theirs)
    reworded = {(line.day, line.speaker) for line in new_passages}
    before, after = base.sections, theirs.sections
    texts = {name: after.get(name, "") for name in (*before, *after)}
    return OpeningEdits(
        sections={name: text for name, text in texts.items() if text != before.get(name, "")},
        changed=changed,
        removed=_without(gone, [before for before, _ in changed]),
        added=_without(new, [after for _, after in changed]),
        released=tuple(line for line in taken_out if (line.day, line.speaker) not in reworded),
        kept=new_passages,
    )


def _other_passages(opening: Opening, other: Opening) -> tuple[KeptLine, ...]:
    """Return the kept passages of an opening that the other one does not have."""
    known = {line.compared for line in other.kept}
    return tuple(line for line in opening.kept if line.compared not in known)


def _without(lines: Iterable[FactLine], others: Iterable[FactLine]) -> tuple[FactLine, ...]:
    """Return the lines, each of the others taken out once."""
    left = Counter(others)
    kept: list[FactLine] = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            kept.append(line)
    return tuple(kept)


def _reworded(
    gone: Sequence[FactLine], new: Sequence[FactLine]
) -> tuple[tuple[FactLine, FactLine], ...]:
    """Pair lines that are alike, the most alike first, each once; in the order of `gone`."""
    alike: list[tuple[float, int, int]] = []
    for i, before in enumerate(gone):
        for j, after in enumerate(new):
            matcher = SequenceMatcher(None, before.text, after.text)
            likeness = matcher.quick_ratio()  # at least the ratio, and quicker
            if likeness >= _ALIKE:
                likeness = matcher.ratio()
            if likeness >= _ALIKE:
                alike.append((-likeness, i, j))
    pairs: dict[int, int] = {}
    for _, i, j in sorted(alike):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return tuple((gone[i], new[pairs[i]]) for i in sorted(pairs))
