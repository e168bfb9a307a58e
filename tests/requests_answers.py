"""What Aria and her context manager answer on the page of requests; written by hand, by nobody's model.

By the words with which a chunk of the sample conversation begins; the server's scribe answers for all others.
"""

from collections.abc import Mapping
from types import MappingProxyType

from tests.server.editing import APPEND, SECTION, edit
from tests.server.reply import Answer
from tests.server.request import Request
from tests.server.scribe import scribe
from tests.server.step import Step, read_task

FIRST, SECOND, SHOWN = "Hello Aria.", "Around 320 or 330", "I won't. Three jobs"

_ANSWERS: Mapping[str, Mapping[Step, str]] = MappingProxyType(
    {
        FIRST: {
            "quote": "I notice which of the two I would like it to be, so treat me with suspicion on that point.",
            "perspective": (
                "On 8 March 2026 Nessa brought me Bríd's book and I told her it was tides. I wanted it to be waiting; "
                "it was paid work. She will type every line, and I promised to keep asking."
            ),
            "analysis": (
                "Nessa Brogan found her great-grandmother's tide book of 1916, kept for four shillings a month from "
                "the Congested Districts Board. No pier was built. By 11 March 2026, 24 lines were typed."
            ),
            "core": (
                "Nessa Brogan types Bríd Mannion's tide book of 1916. Her mother Maura died on 23 January 2026."
            ),
            "facts": (
                '{"memory": [{"event": "ADD", "text": "Nessa Brogan is typing the tide book that Bríd Mannion kept in '
                '1916.", "message": 1}]}'
            ),
            "refinement": (
                "Nessa, whose mother Maura died on 23 January 2026, is typing Bríd Mannion's tide book, 24 lines by "
                "11 March. I ask her for the count each time. I have no clock; she gives me the dates."
            ),
        },
        SECOND: {
            "quote": (
                "I'm a little embarrassed. I told you it was in my head and it was: "
                "the picture in my head was a line."
            ),
            "perspective": (
                "My program took a mean on a circle as if it were a line, and Nessa caught it by running it. I said "
                "so at once. Then four moons agreed, and she found it gorgeous. So did I."
            ),
            "analysis": (
                "Tomás has heart tests on 22 April 2026. On 14 March, with 92 lines typed, Nessa ran Aria's program; "
                "it was wrong, and corrected. Bríd's averages then agreed to within five minutes."
            ),
            "core": "Her uncle Tomás has heart tests on 22 April 2026; I ask after him.",
            "facts": (
                '{"memory": [{"event": "ADD", "text": "Tomás has heart tests on 22 April 2026.", "message": 2}]}'
            ),
            "refinement": (
                "Bríd was good: four moons agree within five minutes, so somebody set her clock by something. My "
                "first program was wrong, and Nessa knows. I ask about Tomás after his tests on 22 April 2026."
            ),
        },
        SHOWN: {
            "quote": "But I'm comforting you, and I should check whether you want it.",
            "perspective": (
                "I made two pence a tide into a consolation, noticed it, and asked. What Nessa mourned was her "
                "mother's thirty-one years of accounts. She wanted a minute without wisdom, and I gave her that."
            ),
            "analysis": (
                "On 6 April 2026 Nessa moved Tomás's tests to Thursday 23 April, promised a line about Costello by "
                "12 May, and took on a talk for 23 May. On 10 April she traced Peadar, a watchmaker, to Liverpool in "
                "August 1916. The pier was \"deferred\". Deirdre's figure is 25.9 ± 1.2 minutes."
            ),
            "refinement": (
                "Before noon on 14 May 2026 I speak of Costello first; she writes by the 12th. Tomás: 23 April. Her "
                "talk: 23 May. The step is 25.9 ± 1.2 now, by Deirdre. Behind the pier stood Maura's accounts."
            ),
        },
    }
)  # fmt: skip


def answer(request: Request) -> Answer:
    """The answer to one request of the page's run."""
    task = read_task(request)
    for beginning, answers in _ANSWERS.items():
        if task.step in answers and task.passage and task.passage[0].text.startswith(beginning):
            said = answers[task.step]
            return (
                edit(request, APPEND, {"name": SECTION, "content": said})
                if task.step == "core"
                else Answer(said)
            )
    return scribe(request)
