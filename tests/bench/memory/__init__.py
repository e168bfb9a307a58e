"""How much of a conversation its memories keep, how they read, and where they end.

    python -m tests.bench.memory [--exports FOLDER]

Conversations and questions about them are the person's own to bring: exports, each with a file of questions beside it
(`NAME.json` and `NAME.questions.json`, as the public BEAM benchmark has them). A context answers a question as far as
the content words of the answer stand in it: a floor, which asks no model, and says nothing of how well a model would
use what stands there.

To measure one more kind of context: a function from the chat and the question to the text, in `contexts.contexts`.
"""
