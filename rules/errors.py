"""All errors of memproc; each says what happened and what to do.

They are raised where the fault is found. Those of one chat are caught by `until_fault` in
daemon/chat/outcome.py, the rest at the command line and in the daemon's loop.
"""


class MemprocError(Exception):
    """The base of all errors: `message` says what happened and where, `next_step` what to do."""

    exit_code = 1

    def __init__(self, message: str, next_step: str) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".rstrip()  # some errors have no next step


class NotAnExport(MemprocError):
    """The file is not something that TypingMind could import."""


class ChatSkipped(MemprocError):
    """This chat cannot be processed as it is; the others of its export can.

    Commands about one chat (to evaluate, compare or bring it) raise it, too, and end with it.
    """


class NotAccepted(ChatSkipped):
    """The chat's state may be a mistake; it is processed once the person has accepted it."""

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
    """A request about this chat is longer than its model accepts, though it should have fitted."""


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

    The reason is in the request if the model answers the smallest possible one.
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
    """The request was sent, and no complete answer came; it may still be billed."""


class TimedOut(CutOff):
    """No answer came within the time limit."""


class AnswerTooLarge(ModelError):
    """The answer had more bytes than its limit of tokens allows; it may be billed as reserved."""


class OutOfReach(ModelError):
    """The provider stayed busy or out of reach: the chat is skipped, and tried again later."""

    def __init__(self, message: str, next_step: str, retry_after: float = 0.0) -> None:
        super().__init__(message, next_step)
        self.retry_after = retry_after
        """Seconds that the provider asks to wait; 0 where it does not say."""


class AnswerTooSlow(OutOfReach):
    """The answer did not end in the time that its limit of tokens allows.

    It may be billed as reserved.
    """


class ProviderRefuses(MemprocError):
    """The key is wrong, there is no money, or access is forbidden.

    No further call can succeed, so everything stops.
    """


class Forbidden(ProviderRefuses):
    """The provider forbids the request (403).

    It forbids only this request if it answers the smallest possible one.
    """


class UnknownPrice(ModelError):
    """The price of a call is unknown, so it was not made, and the chat is skipped."""


class OverBudget(MemprocError):
    """A cap of the budget is reached: no further call that costs money can be made."""

    exit_code = 4

    def __init__(self, message: str, next_step: str, until: str) -> None:
        super().__init__(message, next_step)
        self.until = until
        """When the daemon tries again automatically (UTC)."""


class RefusedArguments(MemprocError):
    """A tool or a command does not take these arguments."""

    exit_code = 2


class NotFound(MemprocError):
    """The person named a chat, a memory or a version that the archive does not know."""

    exit_code = 2
