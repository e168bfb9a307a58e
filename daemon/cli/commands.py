"""The commands of memproc, in the groups and the order in which `memproc --help` lists them."""

from collections.abc import Mapping

TROUBLE, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130
"""Exit codes."""

GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Begin": {
        "demo": ("demo", "Process a sample conversation; no key, no network."),
        "init": ("first_time", "Begin: folders, a key or none, the service, a sample."),
    },
    "Work": {
        "plan": ("plan", "Show what would be done; sends and writes nothing."),
        "run": ("run", "Process the exports in the inbox, or those named, and exit."),
        "bring": ("bring", "Bring conversations from ChatGPT, Claude or DeepSeek."),
        "watch": ("status", "Process what is dropped into the inbox, until stopped."),
        "pause": ("pausing", "Have the daemon begin nothing new for a while."),
        "resume": ("pausing", "End the pause."),
        "stop": ("pausing", "Stop the run that goes on; the next one goes on from there."),
    },
    "Look": {
        "open": ("page", "Open the page in the browser, or one of the folders."),
        "status": ("status", "Show whether the daemon is well, and what it has done."),
        "logs": ("status", "Tell what was done, in sentences."),
        "doctor": ("doctor", "Find what is wrong, and how to fix it."),
        "chats": ("chats", "List the chats that the archive knows."),
        "memories": ("memories", "List the memories of a chat."),
        "show": ("memories", "Show one memory in full, in all its editions."),
        "search": ("search", "Search everything that was ever said, remembered or known."),
        "eval": ("evaluate", "Ask the persona what it still knows, and tell how much."),
        "calls": ("budget", "List what models were asked, when, and what it cost."),
    },
    "Correct": {
        "accept": ("chats", "Say that a chat which was skipped is meant as it is."),
        "retry": ("memories", "Ask for a memory once more, with a word of guidance."),
        "use": ("memories", "Choose the edition of a memory that is shown."),
        "pin": ("memories", "Keep a memory as it is."),
        "unpin": ("memories", "Let it be rewritten again."),
        "core": ("mind", "Show or edit the persona's core memory."),
        "facts": ("mind", "List, search, add or forget facts."),
        "keep": ("mind", "Keep words as they were said, or list what is kept."),
        "release": ("mind", "Release what is kept word for word."),
        "recall": ("memories", "Bring back memories that you have deleted in TypingMind."),
    },
    "Keep and undo": {
        "versions": ("chats", "List what was kept of a chat's exports."),
        "diff": ("restore", "Show what changed between two versions."),
        "restore": ("restore", "Put a kept version back; shows the difference first."),
        "undo": ("restore", "Put back what the updated export was before."),
        "expand": ("restore", "Write the full raw conversation as an export again."),
        "verify": ("archive", "Check archive, backups and outputs against their hashes."),
        "rebuild": ("archive", "Rebuild a lost archive from backups and updated exports."),
        "export-archive": ("archive", "Pack everything into one file, for a new computer."),
        "import-archive": ("archive", "Unpack such a file on the new computer."),
        "erase": ("archive", "Remove a chat for good, after showing what there is."),
    },
    "Connect": {
        "pair": ("pair", "Let TypingMind send chats directly, without files."),
        "mcp": ("mcp", "Let a model look things up in the archive while it talks."),
    },
    "Service and settings": {
        "service": ("service", "Have the system run memproc, or stop that."),
        "config": ("config", "Show, check, edit or find memproc.toml."),
        "key": ("key", "Keep, list, try or forget a provider's key."),
        "budget": ("budget", "Show what was spent and may be spent, or raise a cap."),
        "completion": ("completion", "Print what makes bash, zsh or fish complete names."),
        "manual": ("manual", "Print the man page, or put it where man finds it."),
        "help": ("manual", "Show the help of memproc, or of one command."),
        "uninstall": ("service", "Remove the service, and say what stays and how it goes."),
    },
}
"""Each command's module and its summary, in groups."""

WITHOUT_JSON = (
    "watch", "demo", "pair code",  # tell what goes on, for as long as they work or wait
    "completion", "manual", "help",  # print the very text that a shell, `man` or a person takes
)  # fmt: skip
"""The commands that have no `--json`; hidden ones have none, either."""

HIDDEN = {"job": "supervised", "page": "page"}
"""The commands that no list shows, with their modules."""

SUMMARIES = {name: summary for group in GROUPS.values() for name, (_, summary) in group.items()}

MODULES = {name: home for group in GROUPS.values() for name, (home, _) in group.items()} | HIDDEN
