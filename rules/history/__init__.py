"""The history of a chat: which messages are ours, which were lived through, and what stands under memories."""
