"""Folds of fewer memories than six, for tests whose conversations are short."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def groups_of(group: int) -> Iterator[None]:
    """Have so many memories become a fold, for as long as the block runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rules.plan.folds.GROUP", group)
        yield
