"""The sentences of a message, which is read more than once."""

import pytest

from rules.extract import prose
from rules.extract.prose import of_message
from tests.rules.extract.test_voices import DRAFTS

TEXTS = (
    *DRAFTS.values(),
    "(I kept it. It “was” **mine**.) Let me know!\n- **Rent:** 340, 17, 5\n\n> Said she.",
    "Keeping it is a great idea. Thanks, that is all! 请告诉我。 \ud800",
)


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_message_reads_the_same_when_its_sentences_are_found_by_its_outline(
    role: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = of_message(role, text)
    of_message.cache_clear()
    monkeypatch.setattr(prose, "_read", lambda role, text: pytest.fail("it was taken apart again"))
    assert of_message(role, text) == first
