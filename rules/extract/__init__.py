"""The built-in engine: which of a passage's own sentences say what it was about.

`answers` gives three of the four answers, and `quoting` the quote: read them first. Below them are
the choice of sentences by what each is worth (`choice`), the passage with the weights of its words
(`weights`), a message as sentences (`prose`) and whose words its lines are (`voices`), sentences
and words of any script, and the word lists (`languages`, `phrases`, `frames`), spelled by
`patterns`.
"""
