"""The days that a question names narrow a search."""

import pytest

from daemon.recall.finding import Days, days_named

NEWEST = "2024-05-03"


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("what did we say on 5 April 2024?", ("2024-04-05", "2024-04-05")),
        ("what was on April 5th, 2023", ("2023-04-05", "2023-04-05")),
        ("the plan of the 1st of March", ("2024-03-01", "2024-03-01")),
        ("what did we do in March", ("2024-03-01", "2024-03-31")),
        ("what did we do in February 2024", ("2024-02-01", "2024-02-29")),
        ("what did we do in late September", ("2023-09-01", "2023-09-30")),
        ("notes of 2024-04-05 please", ("2024-04-05", "2024-04-05")),
        ("notes of 2024-04", ("2024-04-01", "2024-04-30")),
        ("on Sept. 3 we sailed", ("2023-09-03", "2023-09-03")),
        ("in May 2024", ("2024-05-01", "2024-05-31")),
        ("was war am 5. April 2024?", ("2024-04-05", "2024-04-05")),
        ("was haben wir im März gemacht", ("2024-03-01", "2024-03-31")),
        ("le 1er août 2023, où étions-nous", ("2023-08-01", "2023-08-01")),
        ("qu'avons-nous dit en février", ("2024-02-01", "2024-02-29")),
        ("el 5 de abril de 2024", ("2024-04-05", "2024-04-05")),
        ("che cosa abbiamo detto il 3 maggio", ("2024-05-03", "2024-05-03")),
        ("o que dissemos em março de 2024", ("2024-03-01", "2024-03-31")),
        ("wat zeiden we in maart", ("2024-03-01", "2024-03-31")),
        ("what may we march for", None),
        ("all of a decade, and 5 marches", None),
        ("in Apr\u0130l, and on 5 Apr\u0130l", None),
        ("31 February 2024", None),
        ("0000-13-99 and 2024-13-40", None),
        ("version 3.11", None),
        ("", None),
    ],
)
def test_days_are_read_as_people_write_them(query: str, days: Days | None) -> None:
    assert days_named(query, NEWEST) == days
