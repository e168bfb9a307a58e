"""What a killed `memproc expand` has left is taken away at the next start, wherever it wrote to."""

import json
import signal
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from tests.chats import export_bytes, long_chat
from tests.daemon.files.children import in_child, needs_fork
from tests.daemon.recovery.test_moving_kills import dying
from tests.stories.person import Person


@needs_fork
@pytest.mark.parametrize("output", [True, pytest.param(False, marks=pytest.mark.long)])
@pytest.mark.full
def test_what_a_killed_expand_has_left_is_taken_away_at_the_next_start(
    tmp_path: Path, output: bool
) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings('[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n')
    ada.drop(export_bytes(long_chat(4000, chatID="aaa", id="aaa")))
    assert ada.memproc("run").code == 0
    folder = tmp_path / "stick" if output else ada.home / "expanded"
    left = 0
    for number in count(1, 2):
        command = [
            "expand",
            "aaa",
            *(["--output", str(folder / f"{number}.json")] if output else []),
        ]
        code, _ = in_child(partial(dying, number, partial(ada.memproc, *command)))
        left += any(path.name.startswith(".memproc-") for path in folder.glob(".*"))
        assert ada.memproc("pin", "m").code != 0  # opens the context, and does nothing
        assert not list(folder.glob(".*"))
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert left > 0
    written = list(folder.iterdir())
    assert written
    for path in written:  # a kill may have come when the file was in its place already
        assert len(json.loads(path.read_bytes())["data"]["chats"][0]["messages"]) > 10
