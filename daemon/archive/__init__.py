"""The archive: raw messages for ever, the memories made of them, and every answer that was paid for."""
