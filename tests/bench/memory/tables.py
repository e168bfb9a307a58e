"""What was measured of memories, as tables."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from rules.extract.prose import PERSONA
from tests.bench.measure import Table
from tests.bench.memory.bootstrap import interval
from tests.bench.memory.contexts import DRAWS
from tests.bench.memory.cuts import SIZE, CutScore, Splice
from tests.bench.memory.floor import AGAIN, DEFAULT, FULL, RECALL, WHOLE, MeasuredChat
from tests.bench.memory.readable import shares
from tests.bench.memory.recall import TOKENS
from tests.bench.memory.runs import CompressedChat
from tests.bench.memory.standing_wishes import kept_wishes, standing_wishes

_SHOWN_BY_KIND = (FULL, "tail alone", "TextRank", "the person's sentences first", DEFAULT, RECALL)


def by_row(chats: Sequence[MeasuredChat]) -> Table:
    """Every context, its mean over the conversations, and how far memproc is ahead of it."""
    rows, figures = [], {}
    ours = [chat.scores[DEFAULT].mean for chat in chats]
    for name in chats[0].scores:
        means = [chat.scores[name].mean for chat in chats]
        ahead = [our - mean for our, mean in zip(ours, means, strict=True)]
        tokens = fmean(chat.scores[name].tokens for chat in chats)
        lead = ("", "") if name == DEFAULT else (f"{fmean(ahead):+.1f}", _between(ahead, "+.1f"))
        statements = fmean(chat.scores[name].statements for chat in chats)
        row = (name, f"{tokens:,.0f}", f"{fmean(means):.1f}", _between(means, ".1f"), *lead)
        rows.append((*row, f"{statements:.1f}"))
        figures[name] = {
            "tokens": tokens,
            "statements": statements,
            "mean": fmean(means),
            "ahead": fmean(ahead),
            "chats": means,
        }
    asked = sum(len(chat.questions) for chat in chats)
    notes = (
        f"{len(chats)} conversations with {asked} questions. What counts is the share of an answer's content words",
        "that stand in the context, in percent: the mean over a conversation's questions, then over conversations.",
        "Sentences are chosen block by block, so that together they have as many characters as memproc's own output;",
        f"the live tail stands behind them, as behind memproc's. Random sentences are the mean of {DRAWS} draws. In",
        "brackets: 95 % of 10,000 bootstrap samples of the conversations. `lead`: how far memproc is ahead.",
        "`statements`: the share of an answer's neighbouring content words that are in one sentence of the context.",
        "These figures count words. They do not prove that a model remembers.",
    )
    headings = ("", "tokens", "mean", "", "lead", "", "statements")
    return Table("What of an answer stands in the context", notes, headings, tuple(rows), figures)


def _between(values: Sequence[float], form: str) -> str:
    least, most = interval(values)
    return f"[{least:{form}}, {most:{form}}]"


def wishes(chats: Sequence[MeasuredChat]) -> Table:
    """How many standing wishes of the person's are kept word for word."""
    rows, figures = [], {}
    for chat in chats:
        said, kept = standing_wishes(chat.at_once), kept_wishes(chat.at_once)
        rows.append((chat.name, str(len(said)), str(len(kept))))
        figures[chat.name] = {"said": len(said), "kept": len(kept)}
    notes = (
        'Sentences of the person\'s such as "Always ... when I ask ..." and "I prefer ..." in what is compressed, and',
        "how many are word for word in what memproc made.",
    )
    return Table("Standing wishes", notes, ("", "said", "kept"), tuple(rows), figures)


def by_kind(chats: Sequence[MeasuredChat]) -> Table:
    """The same by kind of question, for the contexts that tell most."""
    names = [name for name in _SHOWN_BY_KIND if name in chats[0].scores]
    kinds = sorted({question.kind for chat in chats for question in chat.questions})
    rows, figures = [], {}
    for kind in kinds:
        found = {
            name: [share for chat in chats for share in _of_kind(chat, name, kind)]
            for name in names
        }
        asked = len(found[DEFAULT])
        rows.append(
            (kind.replace("_", " "), str(asked), *(f"{fmean(found[name]):.1f}" for name in names))
        )
        figures[kind] = {name: fmean(found[name]) for name in names} | {"questions": asked}
    return Table("By kind of question", (), ("", "questions", *names), tuple(rows), figures)


def _of_kind(chat: MeasuredChat, name: str, kind: str) -> list[float]:
    pairs = zip(chat.questions, chat.scores[name].shares, strict=True)
    return [share for question, share in pairs if question.kind == kind]


def by_chat(chats: Sequence[MeasuredChat]) -> Table:
    """The same by conversation, with what the run took."""
    names = [name for name in (*_SHOWN_BY_KIND, WHOLE, AGAIN) if name in chats[0].scores]
    rows = tuple(
        (
            chat.name,
            *(f"{chat.scores[name].mean:.1f}" for name in names),
            f"{chat.at_once.seconds:.1f}",
        )
        for chat in chats
    )
    figures = {chat.name: {name: chat.scores[name].mean for name in names} for chat in chats}
    notes = (
        "`seconds`: of the processor, for `memproc run` on the whole export, start-up included.",
    )
    return Table("By conversation", notes, ("", *names, "seconds"), rows, figures)


def recall(chats: Sequence[MeasuredChat]) -> Table:
    """How much of what memories leave out is had back by looking it up."""
    rows, figures = [], {}
    names = (DEFAULT, RECALL, FULL)
    means = {chat.name: tuple(chat.scores[name].mean for name in names) for chat in chats}
    means["all"] = tuple(fmean(column) for column in zip(*means.values(), strict=True))
    for name, (memories, recalled, full) in means.items():
        way = 100 * (recalled - memories) / (full - memories) if full > memories else None
        rows.append(
            (name, *(f"{mean:.1f}" for mean in means[name]), "" if way is None else f"{way:.0f} %")
        )
        figures[name] = {"memproc": memories, "recall": recalled, "full": full}
    notes = (
        f"One search with the question's own words, then what it found, opened, the best first: at most {TOKENS:,}",
        "tokens in all. `way`: how far that leads from memories and tail to the full context; the days and ids that",
        "recall tells count too, so that it can lead beyond.",
    )
    return Table("What can be looked up", notes, ("", *names, "way"), tuple(rows), figures)


def readability(chats: Sequence[MeasuredChat]) -> Table:
    """What is wrong with the memories of the built-in engine, in percent."""
    memories = [memory for chat in chats for memory in chat.unfolded.memories]
    folds = [memory for chat in chats for memory in chat.at_once.memories if memory.level > 1]
    of_memories, of_folds = shares(memories), shares(folds) if folds else {}
    rows = tuple(
        (name, f"{of_memories[name]:.1f}", f"{of_folds[name]:.1f}" if folds else "")
        for name in of_memories
    )
    others = 100 * fmean(
        not _is_persona(memory.quote, chat.unfolded)
        for chat in chats
        for memory in chat.unfolded.memories
    )
    rows = (*rows, ("a quote of the person's", f"{others:.1f}", ""))
    of_memories["a quote of the person's"] = others
    notes = (
        f"In percent of {len(memories)} memories of the built-in engine, and of {len(folds)} folds.",
    )
    figures = {"memories": of_memories, "folds": of_folds}
    return Table("How the engine's memories read", notes, ("", "memories", "folds"), rows, figures)


def _is_persona(quote: str, chat: CompressedChat) -> bool:
    return any(quote in said.text for said in chat.compressed if said.role == PERSONA)


def cuts(least: int, most: int, cases: Sequence[Splice], scores: Mapping[str, CutScore]) -> Table:
    """How each of the splitters cuts spliced conversations."""
    tokens = fmean(sum(spoken.tokens for spoken in case.spoken) for case in cases)
    chance = next(iter(scores.values())).by_chance
    notes = (
        f"{len(cases)} conversations of {tokens:,.0f} tokens on average, spliced from pieces of {least} to {most}",
        f"messages without dates; chunks of {SIZE:,} tokens. {chance:.3f} of all ends of turns are a change of topic.",
        "Pk: the smaller the better, 0.5 is a toss of a coin.",
    )
    rows = tuple(
        (name, f"{found.on_change:.3f}", f"{found.p_k:.3f}", f"{found.small:,.0f}", f"{found.large:,.0f}",
         str(found.chunks))
        for name, found in scores.items()
    )  # fmt: skip
    figures = {name: {"on_change": found.on_change, "p_k": found.p_k, "small": found.small, "large": found.large}
               for name, found in scores.items()}  # fmt: skip
    headings = ("chunk.bounds", "cuts on a change", "Pk", "tokens, p5", "p95", "chunks")
    return Table(
        f"Chunks that end where the topic changes, pieces of {least} to {most}",
        notes,
        headings,
        rows,
        figures,
    )
