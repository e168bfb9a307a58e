"""Write text in the syntax of systemd's units: quoted, with percent signs doubled."""


def quoted(text: str) -> str:
    """Quote an argument by systemd's own rules."""
    escaped = "".join(_escaped(letter) for letter in without_specifiers(text))
    return f'"{escaped}"' if escaped != text or " " in text or not text else text


def _escaped(letter: str) -> str:
    if letter in "\"\\'":
        return f"\\{letter}"
    return letter if letter.isprintable() else "".join(f"\\x{byte:02x}" for byte in letter.encode())


def without_specifiers(text: str) -> str:
    """Double percent signs, since systemd expands them as specifiers."""
    return text.replace("%", "%%")
