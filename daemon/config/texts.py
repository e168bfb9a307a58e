"""The Markdown texts that models read: the shipped ones, or the person's own in their place."""

from dataclasses import fields
from importlib.resources import files
from pathlib import Path

from primer.texts import Texts, problems
from rules.errors import ConfigurationError


def load_texts(folder: Path | None) -> Texts:
    """All texts; a file in `folder` takes the place of the shipped text of the same name.

    Raises ConfigurationError, which names every file and what is wrong with it.
    """
    shipped = files("primer") / "texts"
    texts: dict[str, str] = {}
    wrong: list[str] = []
    if folder is not None and not folder.is_dir():
        wrong.append(f"texts.folder: there is no folder {folder}")
    for name in (field.name for field in fields(Texts)):
        own = folder / f"{name}.md" if folder else None
        if own is None or not own.is_file():
            texts[name] = (shipped / f"{name}.md").read_text(encoding="utf-8").strip()
            continue
        try:
            texts[name] = own.read_text(encoding="utf-8-sig").replace("\r\n", "\n").strip()
        except (OSError, UnicodeDecodeError) as fault:
            wrong.append(f"{own}: cannot be read as UTF-8 text ({type(fault).__name__})")
            continue
        wrong += [f"{own}: {problem}" for problem in problems(name, texts[name])]
    if wrong:
        raise ConfigurationError(
            "The texts that models read cannot be used:\n" + "\n".join(f"  {problem}" for problem in wrong),
            "Mend them, or leave texts.folder empty in memproc.toml for memproc's own texts.",
        )
    return Texts(**texts)
