"""What TypingMind calls the fields of its JSON stands in rules/typingmind alone: another format is another package."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.sources import ROOT, nodes_of, trees

PACKAGE = ROOT / "rules" / "typingmind"
CONNECTOR = ROOT / "daemon" / "page" / "connector.py"
"""Speaks another protocol of TypingMind's, and knows nothing of exports."""
ENDS = ROOT / "primer" / "finish.py"
"""Has providers' own words for why an answer ended, one of which TypingMind stores."""
NAMES = (
    "chatID chatTitle syncMetadata deletedMessageUUIDs deletedSyncedBlobIDs contextClearedAt threads chatParams "
    "linkedPlugins tokenUsage pluginResponse tmMetadata titleUsage modelInfo createdAt updatedAt syncedAt "
    "deletedAt folderID contextLimit systemMessage contextSummary contextCutOffAtUUID savedControllerState "
    "isPinned primaryResponseID tm_multi_responses tm_context_summary training-message clear-context "
    "character-welcome-message metaBlobs BlobID blobID keywords stop_sequence indexedDB localStorage"
)
KEYS = frozenset(NAMES.split())


def constants(path: Path) -> Iterator[ast.Constant]:
    """The string and byte constants of a module that are no docstrings."""
    prose = {id(node.value) for node in nodes_of(path) if isinstance(node, ast.Expr)}
    for node in nodes_of(path):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str | bytes)
            and id(node) not in prose
        ):
            yield node


def is_key(value: str | bytes) -> bool:
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return text.strip('"') in KEYS


def test_no_other_module_names_a_field_of_typingmind() -> None:
    modules = [
        path for path in trees() if PACKAGE not in path.parents and path not in (CONNECTOR, ENDS)
    ]
    assert len(modules) > 100
    found = [
        f"{path.relative_to(ROOT)}:{constant.lineno} {constant.value!r}"
        for path in modules
        for constant in constants(path)
        if isinstance(constant.value, str | bytes) and is_key(constant.value)
    ]
    assert found == []


def test_the_package_names_each_of_them() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.glob("*.py"))
    named = {key for key in KEYS if key in text}
    assert named >= KEYS - {"linkedPlugins", "tokenUsage", "pluginResponse"}, (
        "the list above is out of date"
    )
