"""The worker: a process of its own that loads what is large, does one order at a time, and goes when idle."""
