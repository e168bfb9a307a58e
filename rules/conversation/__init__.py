"""What a conversation is to memproc: history, memories, editions, quotes and our own messages."""
