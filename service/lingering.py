"""Whether the user's services run while nobody is logged in, and how to have that."""

from service.ask import Answer


def question(user: str) -> tuple[str, ...]:
    """The command that asks for it; `user` is a name or number."""
    return ("loginctl", "show-user", user, "--property=Linger", "--value")


def lingers(answer: Answer) -> bool | None:
    """Yes, no, or None where it cannot be known: there may be no loginctl here."""
    return {"yes": True, "no": False}.get(answer.out.strip()) if answer.code == 0 else None


def offer(answer: Answer) -> str:
    """What to say of it after installing; empty where there is nothing to offer."""
    if lingers(answer) is not False:
        return ""
    return "It runs while you are logged in. To have it run from boot on, logged in or not:\n  loginctl enable-linger"
