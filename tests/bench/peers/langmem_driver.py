"""Tells LangMem a conversation, as its guide to memories in the background does: the store manager, once a turn.

Runs in an environment that has LangMem. `python langmem_driver.py TURNS URL FOLDER` prints what was kept, as JSON.
"""

import json
import sys
from pathlib import Path

from langchain_openai import ChatOpenAI, OpenAIEmbeddings  # type: ignore[import-not-found]  # the peer's alone
from langgraph.store.memory import InMemoryStore  # type: ignore[import-not-found]  # the peer's alone
from langmem import create_memory_store_manager  # type: ignore[import-not-found]  # the peer's alone

MOST = 1_000_000


def main(turns: Path, url: str) -> None:
    """One namespace, the memories and their vectors in the process, everything else as it comes.

    Texts are sent to be embedded as they are: cut into tokens beforehand, they need a table from the network.
    """
    embed = OpenAIEmbeddings(
        model="text-embedding-3-small", base_url=url, check_embedding_ctx_length=False
    )
    store = InMemoryStore(index={"dims": 1536, "embed": embed})
    model = ChatOpenAI(model="gpt-4.1-mini", base_url=url)
    manager = create_memory_store_manager(model, namespace=("memories",), store=store)
    for turn in json.loads(turns.read_text(encoding="utf-8")):
        manager.invoke({"messages": turn})
    kept = store.search(("memories",), limit=MOST)
    sys.stdout.write(json.dumps({"kept": len(kept)}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
