"""The built-in engine: which of a passage's own sentences say what it was about.

`answers.py` gives the four answers: read it first. Below it stand the choice of sentences (`choose`), what each is
worth (`weights`), the passage (`passage`), sentences and words of any script, and the word lists (`languages`).
"""
