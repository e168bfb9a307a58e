"""Evaluate what a persona still knows: questions, their scores, the free cloze form, and the report."""
