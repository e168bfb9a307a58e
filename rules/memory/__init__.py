"""What a chunk becomes: a memory in editions, with a quote that is verbatim."""
