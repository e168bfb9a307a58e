"""The heart of the built-in engine: which of a passage's own sentences say what it was about.

`answers.py` has the four answers; below it stand sentences, their salience, and the choice among them.
"""
