"""Facts: short statements taken from the raw messages of each chunk; none is ever erased, only superseded."""
