"""Everything that can be wrong has a name here; each error carries what happened and what to do.

Raised where the fault is known. Those of one chat are caught by `until_fault` in
daemon/chat/outcome.py, the rest at the command line and in the daemon's loop.
"""


class MemprocError(Exception):
    """The root: `message` says what happened and where, `next_step` what the person can do."""

    exit_code = 1

    def __init__(self, message: str, next_step: str) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}"


class NotAnExport(MemprocError):
    """The file is not something that TypingMind could import."""


class ChatSkipped(MemprocError):
    """This chat cannot be taken as it is; the others of its export can.

    Commands about one chat (to evaluate, compare or bring it) raise it too, and end with it.
    """


class NotAccepted(ChatSkipped):
    """The chat's state may be a mistake; it is worked on when the person has accepted it."""

    def __init__(self, message: str, next_step: str, sha256: str) -> None:
        super().__init__(message, next_step)
        self.sha256 = sha256
        """SHA-256 of the chat's bytes in the export."""


class KeyMissing(ChatSkipped):
    """A model that this chat asks has no key."""

    def __init__(self, message: str, next_step: str, provider: str) -> None:
        super().__init__(message, next_step)
        self.provider = provider


class TooLong(ChatSkipped):
    """A request about this chat is longer than its model takes, although it should have fitted."""


class FaultyOutput(MemprocError):
    """The proof found faults in a finished export, so it was not written: the chat is skipped."""


class ConfigurationError(MemprocError):
    """memproc.toml is wrong, or cannot be read; all its problems are in the message."""

    exit_code = 2


class ConfigurationOutOfReach(ConfigurationError):
    """memproc.toml cannot be read now: its disk is missing, or the system refuses."""


class ArchiveError(MemprocError):
    """The archive is locked, damaged, or newer than this program."""


class DamagedChat(ArchiveError):
    """The archive's rows of one chat are damaged; the others can go on."""


class FileTrouble(MemprocError):
    """A file or folder could not be read or written."""


class ModelError(MemprocError):
    """A model could not be asked, or did not answer: the chat is skipped."""


class ContextTooLong(ModelError):
    """The provider counted more tokens than the model's context window holds."""


class Unexplained(ModelError):
    """The provider refused the request (400, 422, 451) for a reason that memproc does not know.

    It lies in what was asked if the smallest request to the same model is answered.
    """


class NotNow(ModelError):
    """The provider is busy, out of reach, or failed; the same request may succeed later.

    `persistently` asks up to six times, then raises OutOfReach.
    """

    def __init__(self, message: str, next_step: str, retry_after: float | None = None) -> None:
        super().__init__(message, next_step)
        self.retry_after = retry_after
        """Seconds that the provider asks to wait, where it says so."""


class CutOff(NotNow):
    """The request was sent, and no whole answer came: it may have been billed all the same."""


class TimedOut(CutOff):
    """No answer came in the time that it had."""


class AnswerTooLarge(ModelError):
    """The answer had more bytes than its room could hold; it may be billed as it was reserved."""


class OutOfReach(ModelError):
    """The provider stayed busy or out of reach: the chat is skipped for later."""

    def __init__(self, message: str, next_step: str, retry_after: float = 0.0) -> None:
        super().__init__(message, next_step)
        self.retry_after = retry_after
        """Seconds that the provider asks to wait; 0 where it does not say."""


class AnswerTooSlow(OutOfReach):
    """The answer did not end in the time that its room takes; it may be billed as it was reserved."""


class ProviderRefuses(MemprocError):
    """Wrong key, no money, or forbidden: no further call can succeed, so everything stops."""


class Forbidden(ProviderRefuses):
    """The provider forbids the request (403): this one alone if the smallest one is answered."""


class UnknownPrice(ModelError):
    """The price of a call is not known, so it was not made, and the chat is skipped."""


class OverBudget(MemprocError):
    """A cap of the budget is reached: no further call that costs money can be made."""

    exit_code = 4

    def __init__(self, message: str, next_step: str, until: str) -> None:
        super().__init__(message, next_step)
        self.until = until
        """The time at which the daemon tries again by itself (UTC)."""


class RefusedArguments(MemprocError):
    """The arguments of a tool or a command are not those that it takes."""

    exit_code = 2


class NotFound(MemprocError):
    """The person named a chat, a memory or a version that the archive does not know."""

    exit_code = 2
