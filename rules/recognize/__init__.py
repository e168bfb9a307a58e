"""What in an export is ours, what is new, what the person did to memories, and what is missing."""
