"""memproc beside mem0 and LangMem: the same conversation, the same server, the same meter.

    python -m tests.bench.peers --exports FOLDER

The peers are installed into environments of their own, by hash, and are no dependency of the project. What each
of them costs depends on its prompts and on how often it asks; the answers come from `script`.
"""
