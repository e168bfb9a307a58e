"""Whether settings that are fine by themselves also agree with each other."""

from collections.abc import Iterator

from daemon.config.amounts import token_clashes
from daemon.config.budget import price_clashes
from daemon.config.chats import ChatOverride
from daemon.config.layers import section_clashes
from daemon.config.lines import Key
from daemon.config.settings import Config
from daemon.config.tables import Clash, FolderSettings, OutputSettings
from daemon.paths import Folders, settle


def clashes(config: Config) -> Iterator[Clash]:
    """Everything in `config` that does not agree: token counts, how memories are put back,
    sections of the core memory, prices and batches, folders, and what each override makes of them.
    An override that names no chat is told here too."""
    yield from token_clashes(config.tail, config.chunk)
    yield from section_clashes(config.core)
    yield from _output_clashes(config.output)
    yield from price_clashes(config.budget)
    yield from _night_clashes(config, ("models", "batch"))
    yield from _folder_clashes(config.folders)
    for index, override in enumerate(config.chats.override):
        yield from _override_clashes(config, index, override)


def _output_clashes(output: OutputSettings) -> Iterator[Clash]:
    """A new chat beside the old one goes into a file of its own: the export that came has no place for it."""
    if output.mode == "new-chat" and output.container == "export":
        yield Clash(
            (("output", "container"), ("output", "mode")),
            'must be "chat" where output.mode is "new-chat", which puts each new chat into a file of its own '
            '(is "export")',
        )


def _night_clashes(config: Config, key: Key) -> Iterator[Clash]:
    """Batches at night need to be told when that is."""
    if config.models.batch == "night" and not config.schedule.night:
        yield Clash((key, ("schedule", "night")), 'must not be "night" where schedule.night is empty')


def _folder_clashes(folders: FolderSettings) -> Iterator[Clash]:
    settled = settle(folders.model_dump())
    if not isinstance(settled, Folders):
        for refused in settled:
            yield Clash(tuple(("folders", name) for name in refused.names), refused.reason)


def _override_clashes(config: Config, index: int, override: ChatOverride) -> Iterator[Clash]:
    """What is wrong with one override, laid over the main tables. What they do wrong alone is not told again."""
    place = ("chats", "override", index)
    if not override.chat:
        yield Clash(((*place, "chat"),), "must be there: the chat's title, with wildcards, or its id or its folder's")
    laid_over = config.with_override(override)
    for clash in token_clashes(laid_over.tail, laid_over.chunk):
        unsaid = [key for key in clash.keys if not override.says(key)]
        if len(unsaid) < len(clash.keys):
            yield Clash((*((*place, *key) for key in clash.keys), *unsaid), clash.reason)
    if override.says(("core", "sections")):
        for clash in section_clashes(laid_over.core):
            yield Clash(tuple((*place, *key) for key in clash.keys), clash.reason)
    if override.says(("models", "batch")):
        yield from _night_clashes(laid_over, (*place, "models", "batch"))
