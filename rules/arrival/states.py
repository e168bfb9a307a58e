"""The states of a file that was dropped into the inbox, from the first sight of it to the end."""

from typing import Literal

State = Literal[
    "seen",
    "settling",
    "copied",
    "planned",
    "working",
    "written",
    "done",
    "waiting",
    "paused",
    "set aside",
    "gone",
]
"""
seen        it lies in the inbox, and has to stand still for a while
settling    it was looked at again, and still grows, or is not complete, or cannot be taken yet
copied      memproc has its own copy, and will work on it
planned     what to do with it is known
working     it is being worked on
written     its updated exports are in their places
done        there was nothing to do: its content was known already
waiting     it will be tried again at its time
paused      it waits for the budget, or for the person
set aside   it cannot be processed as it is; the reason and the next step stand beside it
gone        it left the inbox, or was replaced by a newer file, before it was worked on
"""

UNTAKEN: tuple[State, ...] = ("seen", "settling")
"""memproc has no copy yet: what is in the inbox counts."""

IN_HAND: tuple[State, ...] = ("copied", "planned", "working", "waiting", "paused")
"""memproc has a copy, and is not through with it."""

FINISHED: tuple[State, ...] = ("written", "done", "gone")
"""Nothing more will be done, and the copy is not needed."""
