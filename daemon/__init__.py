"""What is done: every file, clock, database, socket and model is touched here.

`trip.py` tells the whole trip of one export, from top to bottom: read that first.
"""
