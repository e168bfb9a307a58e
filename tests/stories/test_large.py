"""What a message with a very large image costs: a bounded multiple of its size."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.chats import chat, conversation, export_bytes, user
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
    said = subprocess.check_output(
        [sys.executable, "-c", MEASURED, *ada.argv("run")], text=True, cwd=home
    )
    code, kilobytes = map(int, said.split())
    assert code == 0
    return kilobytes / 1024


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak is told in other units")
def test_an_image_of_sixty_megabytes_takes_at_most_six_times_its_size(tmp_path: Path) -> None:
    small, large = (peak_mib(tmp_path / str(size), size) for size in (0, 60))
    assert (large - small) / 60 <= 6
