"""ChatGPT's data export: `mapping` trees of messages, from their bytes to one branch."""
