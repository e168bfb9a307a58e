"""Which files of TypingMind's own store a message names.

    {"type":"tm_image_file","metadata":{"name":"sea.png","localBlobID":"6f2c"}}

At each start TypingMind deletes every such file that no message of any chat names. So a message that names one must
stay in its chat, or the file is lost for good. A file can be named anywhere in a message: in its content, in
`metaBlobs` and `reasoning_details`, in what a tool returned, in its branches.
"""

from collections.abc import Iterator, Mapping

from rules.typingmind import spans

_ENDINGS = ("BlobID", "blobID")
"""`localBlobID`, `metaBlobID`, and `blobID` where the file was synced."""


def attachments(raw: bytes) -> frozenset[str]:
    """The ids of all files that the message with these bytes names. Raises spans.BadJson where they are no JSON."""
    if b"lobID" not in raw and b"\\u" not in raw:
        return frozenset()  # nearly every message, and quicker than to read it once more
    fields, _ = spans.value(raw.decode("utf-8"), 0)
    return frozenset(_named(fields))


def without_its_place(part: object) -> object:
    """A part of a message's content without where its file is kept: a fork has a copy of it in another place."""
    if not isinstance(part, Mapping) or next(_named(part), None) is None:
        return part
    said = {key: value for key, value in part.items() if key != "sync" and not key.endswith(_ENDINGS)}
    metadata = part.get("metadata")
    if isinstance(metadata, Mapping):
        said["metadata"] = {key: value for key, value in metadata.items() if not key.endswith(_ENDINGS)}
    return said


def _named(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            yield from (name for key, name in item.items() if key.endswith(_ENDINGS) and isinstance(name, str) and name)
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
