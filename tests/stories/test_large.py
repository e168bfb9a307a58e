"""What a very large image costs, a bounded multiple of its size; and a very large export, next to nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chats import chat, conversation, export_bytes, user
from tests.foreign import talks
from tests.stories.person import Person

ENGINE = '[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n'
MIB = 1 << 20
MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_mib(home: Path, image_mib: int) -> float:
    """The most memory that `memproc run` takes for a chat with such an image in its live tail."""
    ada = Person(home, tail=6400, step=1600, chunk=1600)
    ada.settings(ENGINE)
    url = "data:image/png;base64," + "iVBORw0K" * (image_mib * MIB // 8)
    content = [
        {"type": "text", "text": "Look! \U0001f30a"},
        {"type": "image_url", "image_url": {"url": url}},
    ]
    image = user("", 99, content=content)
    talk = conversation(30, 400)
    ada.drop(export_bytes(chat(*talk[:-2], image, *talk[-2:])))
    return peak_of(ada, "run")


def peak_of(person: Person, *arguments: str | Path) -> float:
    """The most memory in MiB that a command takes, which must go well."""
    said = subprocess.check_output(
        [sys.executable, "-c", MEASURED, *person.argv(*arguments)], text=True, cwd=person.home
    )
    code, kilobytes = map(int, said.split())
    assert code == 0
    return kilobytes / 1024


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak is told in other units")
def test_an_image_of_sixty_megabytes_takes_at_most_six_times_its_size(tmp_path: Path) -> None:
    small, large = (peak_mib(tmp_path / str(size), size) for size in (0, 60))
    assert (large - small) / 60 <= 6


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak is told in other units")
def test_of_an_export_of_another_program_one_conversation_is_in_memory_at_a_time(
    tmp_path: Path,
) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings(ENGINE)
    one, path = talks.chatgpt("life", 60, words=120), tmp_path / "export.json"
    with path.open("w") as file:
        for number in range(2_000):
            named = one | {"conversation_id": str(number), "title": f"Conversation {number}"}
            file.write(f"{',' if number else '['}{json.dumps(named)}")
        file.write("]")
    assert path.stat().st_size > 150 * MIB
    assert peak_of(ada, "bring", path) < 250
    assert peak_of(ada, "bring", path, "--chat", "1000", "--yes") < 350, "LiteLLM's map among it"
