"""What exports look like beyond the plain: words, messages, chats, files."""
