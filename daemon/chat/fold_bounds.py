"""Choose the bounds of a chat's memory section: as written, as the chat has kept to, or growing.

A setting that is written counts. Without one a chat that has folds keeps to the budget that they
were made under, until the person says "auto": each of its messages would take more. A chat without
folds begins with "auto".
"""

from collections.abc import Sequence
from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.chats import FoldLimits, fold_limits, fold_limits_of_origin
from daemon.config.settings import Config
from rules.conversation.memory import CHUNK_LEVEL, Memory
from rules.plan.fold_budget import LEAST, Bounds
from rules.recognize.adopted import Adopted


def bounds_of(config: Config, kept: FoldLimits) -> Bounds:
    """Return the bounds of a chat's memory section; `config` is the one that counts for it."""
    bounds = replace(config.limits.fold, window=kept.window or None)
    return replace(bounds, budget=kept.budget) if keeps_to_folds(config, kept) else bounds


def keeps_to_folds(config: Config, kept: FoldLimits) -> bool:
    """Return whether a chat keeps to the budget of its folds, since no other is written."""
    return bool(kept.budget) and not config.fold.says_budget


def limits_before(archive: Archive, chat_id: str, adopted: Adopted) -> FoldLimits:
    """Return what a chat has kept to, or what the memories that it takes over were made under."""
    if not adopted.memories:
        return fold_limits(archive, chat_id)
    origins = [name for memory in adopted.memories for name in memory.origins]
    origin = fold_limits_of_origin(archive, origins)
    return FoldLimits(_budget_of_frozen(adopted.memories)) if origin is None else origin


def _budget_of_frozen(memories: Sequence[Memory]) -> int:
    """Return the budget of memories whose archive is lost: the least, if its folds fit into it."""
    if all(memory.level == CHUNK_LEVEL for memory in memories):
        return 0
    shown = (memory.edition.tokens - memory.edition.permanent_tokens for memory in memories)
    return LEAST if sum(shown) <= LEAST else 0
