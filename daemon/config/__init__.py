"""memproc.toml: what may be set, where the file is found, and how it is read, with everything that is wrong in it."""
