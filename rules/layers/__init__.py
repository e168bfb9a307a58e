"""Core memory and facts: the two layers of memory that stand in the opening of a chat, beside its memories."""
