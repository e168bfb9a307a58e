"""Exports: where everything stands in their bytes, what chats and messages say, and how bytes are replaced."""
