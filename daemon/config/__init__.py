"""memproc.toml: what may be set, where the file is found, how it is read, what is wrong in it."""
