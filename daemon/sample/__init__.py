"""The sample conversation: ten weeks between Nessa and Aria, as one export of one chat."""

from importlib.resources import files
from pathlib import Path

from daemon.files.write import make_private, replace_file

SAMPLE_FILE = "memproc-sample.json"


def sample() -> bytes:
    """The export."""
    return (files(__name__) / "aria.json").read_bytes()


def put_sample(inbox: Path) -> Path:
    """Put the sample into the inbox, as if it had been dropped there, and return where. Raises FileTrouble."""
    make_private(inbox)
    path = inbox / SAMPLE_FILE
    replace_file(path, [sample()])
    return path
