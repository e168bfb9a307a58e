"""What `memproc doctor` looks at: one small check for each thing that can be wrong, and the command that mends it."""
