"""README.txt in the backups folder: tells a stranger whose it is, and how to get a chat back by hand."""

from pathlib import Path

from daemon.files.write import replace_file

_README = "README.txt"
_TEXT = """\
These are the backups of memproc.

memproc turns the old part of long TypingMind conversations into memories. Before it writes a chat
anew, it keeps what was there in this folder.

  originals/   the first export of each chat that memproc saw, kept for ever
  versions/    what memproc had written for a chat before it wrote it anew, one folder a chat:
               all of the last day, the newest of each day for 14 days, of each week for 8 weeks,
               and of each month for ever; the others are removed when memproc runs in the background
  INDEX.tsv    the list of both, oldest first; a spreadsheet opens it. A version that was removed
               has a second line, of the kind "removed"
  unlisted/    files that lay among them, that INDEX.tsv does not name, and that are damaged or none
               of memproc's; they are yours to look at, and never removed

With memproc:

  memproc versions CHAT       lists the versions of a chat
  memproc restore CHAT 3      shows what would change, and gives you version 3 back

Without memproc:

  1. Find the chat in INDEX.tsv. The column "file" says where a version lies.
  2. Unpack that file: `gunzip --keep FILE.json.gz`, or any program that opens .gz files.
  3. In TypingMind, import the .json file that comes out. It replaces the chat of the same id.

The column "sha256" is the hash of the unpacked file, "packed_sha256" that of the .gz file.

These files hold your conversations. Keep the folder to yourself.
"""


def put_up(folder: Path) -> None:
    """Write README.txt where none stands; one that the person has changed stays. Raises FileTrouble."""
    path = folder / _README
    if not path.exists():
        replace_file(path, [_TEXT.encode()])
