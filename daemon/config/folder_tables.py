"""The tables of memproc.toml on folders, texts and outputs, and on what serves them.

The daemon, the page, recall and the bridge serve them.
"""

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, model_validator

from daemon.config.tables import Table, checked, from_the_file, gone, refuse_settings
from daemon.files.paths import INBOX, Folders, settle_folders

_NOT_BLANK = checked(str.strip, "must not be empty")
Text = Annotated[str, _NOT_BLANK]
Texts = Annotated[tuple[Text, ...], Field(strict=False)]  # TOML has lists only
_OptionalFolder = Annotated[str, AfterValidator(from_the_file)]
_Folder = Annotated[_OptionalFolder, _NOT_BLANK]

_WINDOW = re.compile(r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d")
_ORIGIN = re.compile(r"https?://[^/\s]+")
Origins = Annotated[
    Texts,
    checked(
        lambda origins: all(map(_ORIGIN.fullmatch, origins)),
        'must be addresses without a path, like "https://chat.example.org"',
    ),
]
"""The origins of the pages that a browser may ask from, as it names them."""


class FolderSettings(Table):
    """ "~" is your home folder. A path that does not start with "~" or "/" begins at the folder of this file.
    No folder may be another one, and the inbox may neither hold the others nor lie in one of them.
    On macOS avoid Documents, Desktop and Downloads: background programs may not read them.
    """

    inbox: _Folder = INBOX
    """Where you put TypingMind's exports. memproc only reads here; your files stay as they are."""

    updated: _Folder = "~/memproc/updated"
    """Where the finished exports go, one file a chat. Import these into TypingMind."""

    backups: _Folder = "~/memproc/backups"
    """Where every file goes before a newer one takes its place in `updated`. In its folder `aside` are the files that you
    put out of the inbox on the page; memproc never removes them, except with a chat that you erase.
    """

    state: _OptionalFolder = ""
    """Where the archive lies, with every message that memproc has ever read.
    Empty: the folder that your system keeps for such things (on Linux ~/.local/state/memproc).
    """

    @model_validator(mode="after")
    def _is_settled(self, info: ValidationInfo) -> Self:
        """Check that a file's folders fit each other; defaults are checked when they are used."""
        settled = None if info.context is None else settle_folders(self.model_dump())
        if settled and not isinstance(settled, Folders):
            raise refuse_settings({(refused.names[0],): refused.reason for refused in settled})
        return self


class TextSettings(Table):
    """What the models read."""

    folder: _OptionalFolder = ""
    """A folder with your own versions of it: primer.md, quote.md, perspective.md and so on, named as in memproc's own
    `primer/texts`. A file that is not there is read from memproc's own. Empty: all of memproc's own.
    """

    @property
    def path(self) -> Path | None:
        """Return the folder, or None for memproc's own texts."""
        return Path(self.folder) if self.folder else None


class OutputSettings(Table):
    """The updated files."""

    mode: Literal["replace", "new-chat", "keep-originals"] = "replace"
    """How memories are put into the chat. "replace": in the place of what they were made of. "new-chat": in a new chat;
    the old one stays as it is. "keep-originals": what they were made of stays in the chat, shown to you, but excluded
    from the context and so no longer sent. A new chat that holds memories goes on in its place.

    Each updated file holds one chat and nothing else: import replaces what it finds, and a full export holds your keys
    and old copies of all other chats.
    """

    container: object = gone("chat", "Each chat has an updated file of its own")


def _is_window(text: str) -> bool:
    return not text or (_WINDOW.fullmatch(text) is not None and text[:5] != text[6:])


class WatchSettings(Table):
    """How the daemon watches the inbox."""

    settle_seconds: float = Field(default=5, ge=0.5, le=600, allow_inf_nan=False)
    """How many seconds a file must be unchanged before it is taken. A browser or a slow disk may pause
    while it writes; what is not complete by then is waited for anyway.
    """

    mode: Literal["auto", "native", "poll"] = "auto"
    """"auto" and "native": the system tells of changes, where it can. "poll": the inbox is looked through every ten
    seconds; choose it where the inbox lies on a network file system, which does not tell of every change.
    """

    subfolders: bool = False
    """Whether folders inside the inbox are watched too."""

    rescan_seconds: object = gone(300, "The inbox is rescanned every 300 seconds")


class ScheduleSettings(Table, title="Retry times"):
    """When the daemon works by itself."""

    night: Annotated[
        str, checked(_is_window, 'must be empty or two times of day, like "02:00-05:00"')
    ] = Field(default="02:00-05:00", title="When put-off work is tried again")
    """When work is tried again that had to be put off, in local time. Empty: with the next export only."""


class NotifySettings(Table):
    """Notices on the desktop."""

    when: Literal["problems", "all", "never"] = "problems"
    """When the desktop shows a notice. "problems": where something needs you, and when an updated export is
    ready. "all": also when work begins. "never": not at all.
    """


class PageSettings(Table):
    """The page in the browser."""

    enabled: bool = True
    """Whether the daemon keeps the page ready: your chats, memories and money, in a browser on this computer and nowhere
    else. `memproc open` opens it. It takes no memory while no one looks.
    """

    port: int = Field(default=27_183, ge=1024, le=65_535)
    """Its port on this computer. Another one, where some other program has this."""


class MentionSettings(Table):
    """`[recall]`, as far as chats may differ."""

    mention: bool = False
    """Whether the message before the memories says that older words can be looked up. memproc cannot know whether a chat
    has the tools for it: say so here, or in [[chats.override]] for the chats that have them. An opening that you have
    worded yourself stays as it is.
    """


class RecallSettings(MentionSettings):
    """What the persona can look up while you talk (docs/recall.md)."""

    connector: bool = False
    """Whether the page's port also answers TypingMind's connector, so that your persona can look things up in the archive
    while you talk. It needs the token of `memproc mcp token`, and only ever reads, unless `keep` is true.
    """

    keep: bool = False
    """Whether the persona may propose passages to be kept word for word, by the tool `keep_this`. It stores a proposal
    and nothing else, at most 20 a chat; nothing is kept until you say yes, on the page or with
    `memproc keep CHAT --yes`.
    """

    origins: Origins = ()
    """Where your own TypingMind is hosted, if it is: origins = ["https://chat.example.org"]. Its own pages are known."""


class BridgeSettings(Table):
    """The bridge is off until a device is paired: memproc pair. It is answered at the page's port."""

    origins: Origins = ()
    """Where your own TypingMind is hosted, if it is: origins = ["https://chat.example.org"]. Its own pages are known."""
