"""How wishes read, a language a file."""
