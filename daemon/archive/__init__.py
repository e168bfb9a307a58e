"""The archive: raw messages for ever, their memories, and every answer that was paid for."""
