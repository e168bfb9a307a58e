"""What a persona still knows of a chat: planned, asked, kept and reported."""
