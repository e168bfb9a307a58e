"""Tells mem0 a conversation, as its quickstart does: one `add` a turn. Runs in an environment that has mem0.

`python mem0_driver.py TURNS URL FOLDER` prints what was kept, as JSON.
"""

import json
import sys
from pathlib import Path

from mem0 import Memory  # type: ignore[import-not-found]  # it is in the peer's environment alone

MOST = 1_000_000


def main(turns: Path, url: str, folder: Path) -> None:
    """One person, the vectors in a file of qdrant, everything else as it comes."""
    memory = Memory.from_config(
        {
            "llm": {
                "provider": "openai",
                "config": {"model": "gpt-4.1-mini", "openai_base_url": url},
            },
            "embedder": {
                "provider": "openai",
                "config": {"model": "text-embedding-3-small", "openai_base_url": url},
            },
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": str(folder / "qdrant"),
                    "on_disk": True,
                    "embedding_model_dims": 1536,
                },
            },
            "history_db_path": str(folder / "history.db"),
        }
    )
    for turn in json.loads(turns.read_text(encoding="utf-8")):
        memory.add(turn, user_id="person")
    kept = memory.get_all(filters={"user_id": "person"}, top_k=MOST)["results"]
    sys.stdout.write(json.dumps({"kept": len(kept)}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
