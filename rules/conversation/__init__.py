"""What a conversation is to memproc: its history, its memories and their editions, quotes, and our own messages."""
