"""What TypingMind's extension may do here: who is paired, how its calls are signed, and the jobs that it gives."""
