"""Writes exports of any size, quickly: many chats of text, code and inline images, with the same bytes every time.

A chat has about 750 kB, and about 30 % of them are images in base64. A few messages hold an emoji: over
hundreds of conversations hardly anybody's export has none.
"""

from base64 import b64encode
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random

from tests.chats import START, Json, assistant, chat, json_bytes, user
from tests.exports.words import answer, question

CHAT_BYTES = 750_000
_IMAGES_A_CHAT = 3
_IMAGE_BYTES = 56_000  # a third more in base64
_TEXTS = 400
_EVERY_CODE, _EVERY_EMOJI = 8, 20
_CODE = '''\
```python
def tide(hour: float, high: float = 4.1) -> float:
    """Metres above the mark, {number} lamps lit."""
    for step in range({number}):
        hour += 0.5 if step % 2 else -0.25
    return high * math.cos(hour / 6.2) + {number}
```
'''


@dataclass(slots=True)
class Mix:
    """How many bytes of an export are what, and how much it holds."""

    chats: int = 0
    messages: int = 0
    text: int = 0
    code: int = 0
    images: int = 0
    size: int = 0

    def __str__(self) -> str:
        rest = self.size - self.text - self.code - self.images
        shares = (
            ("text", self.text),
            ("code", self.code),
            ("images", self.images),
            ("the fields around", rest),
        )
        parts = ", ".join(f"{name} {share / self.size:.0%}" for name, share in shares)
        return f"{self.size / 1e6:.1f} MB, {self.chats} chats, {self.messages:,} messages: {parts}"


def write_export(path: Path, size: int) -> Mix:
    """Write an export of about `size` bytes (and up to a chat more) to `path`, and say what is in it."""
    mix = Mix()
    said = [(question(number, 90), answer(number, 330)) for number in range(_TEXTS)]
    with path.open("wb") as file:
        mix.size += file.write(b'{"data":{"chats":[')
        while mix.size < size:
            content = json_bytes(_chat(mix.chats, said, mix))
            mix.size += file.write(b"," + content if mix.chats > 1 else content)
        mix.size += file.write(b"]}}")
    return mix


def _chat(number: int, said: list[tuple[str, str]], mix: Mix) -> Json:
    chance = Random(number)
    messages: list[Json] = []
    held, images = 0, 0
    while held < CHAT_BYTES:
        if images * CHAT_BYTES <= held * _IMAGES_A_CHAT:
            images += 1
            turn, size = _picture(len(messages), chance, mix), _IMAGE_BYTES * 4 // 3 + 950
        else:
            turn, size = _talk(len(messages), chance, said, mix)
        messages += turn
        held += size
    mix.chats += 1
    mix.messages += len(messages)
    return chat(
        *_dated(messages),
        id=f"bench{number:05d}",
        chatID=f"bench{number:05d}",
        chatTitle=f"Evenings {number}",
    )


def _talk(
    number: int, chance: Random, said: list[tuple[str, str]], mix: Mix
) -> tuple[list[Json], int]:
    """A turn, and about how many bytes it takes."""
    mark = f"No. {chance.getrandbits(48):x}: “"
    asked, told = mark + chance.choice(said)[0] + "”", mark + chance.choice(said)[1] + "”"
    if number % _EVERY_EMOJI == 0:
        told += " 🌊"
    code = _CODE.format(number=chance.randint(2, 900)) * 4 if number % _EVERY_CODE == 0 else ""
    mix.text += len(asked.encode()) + len(told.encode())
    mix.code += len(code)
    return [user(asked, chance.getrandbits(60)), assistant(told + code, chance.getrandbits(60))], (
        len(asked) + len(told) + len(code) + 950
    )


def _picture(number: int, chance: Random, mix: Mix) -> list[Json]:
    url = "data:image/jpeg;base64," + b64encode(chance.randbytes(_IMAGE_BYTES)).decode()
    mix.images += len(url)
    look = {"type": "text", "text": f"Look, picture {number} from the gallery."}
    image = {"type": "image_url", "image_url": {"url": url}}
    return [
        user("", chance.getrandbits(60), content=[look, image]),
        assistant(f"I see the sea in picture {number}, and it is calm.", chance.getrandbits(60)),
    ]


def _dated(messages: list[Json]) -> list[Json]:
    minutes = [
        (START + timedelta(minutes=number)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        for number in range(len(messages))
    ]
    return [message | {"createdAt": at} for message, at in zip(messages, minutes, strict=True)]
