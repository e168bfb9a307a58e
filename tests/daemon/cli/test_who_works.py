"""The sentence of a plan about who writes the memories."""

from daemon.models.roles import Who
from daemon.reports.plan import who_works
from primer.models import EXTRACTIVE


def test_without_a_model_a_plan_says_that_sentences_are_extracted_for_free() -> None:
    without = Who(EXTRACTIVE, EXTRACTIVE, "", None, ())
    assert who_works(without) == "no model: sentences are extracted"


def test_a_chat_with_a_model_names_who_writes_and_who_analyses() -> None:
    mixed = Who("anthropic/claude-opus-5-5", EXTRACTIVE, "", None, ())
    assert who_works(mixed).startswith("anthropic/claude-opus-5-5 writes")
