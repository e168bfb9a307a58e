"""The data export of Claude's own app: `chat_messages`, from their bytes to one branch."""
