"""The syntax of systemd's units: arguments quoted, and percent signs doubled."""


def quoted(text: str) -> str:
    """A text as systemd's own quoting wants it."""
    escaped = "".join(_escaped(letter) for letter in without_specifiers(text))
    return f'"{escaped}"' if escaped != text or " " in text or not text else text


def _escaped(letter: str) -> str:
    if letter in "\"\\'":
        return f"\\{letter}"
    return letter if letter.isprintable() else "".join(f"\\x{byte:02x}" for byte in letter.encode())


def without_specifiers(text: str) -> str:
    """Return the text with its percent signs doubled, since systemd expands specifiers."""
    return text.replace("%", "%%")
