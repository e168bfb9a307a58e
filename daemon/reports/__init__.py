"""Reports: what memproc has to say of a notion, once, for terminal, page, JSON and tools."""
