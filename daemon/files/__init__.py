"""Files and folders: written at once or not at all, with every version kept, by one memproc at a time."""
