"""The closed classes of words that tell wishes, one language a file."""
