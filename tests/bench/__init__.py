"""What memproc costs in time and memory: `python -m tests.bench`. No test is collected here."""
