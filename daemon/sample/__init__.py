"""The sample conversation: ten weeks between Nessa and Aria, as one export of one chat."""
