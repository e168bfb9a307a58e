"""Files and folders: written whole or not at all, every version kept, by one memproc at a time."""
