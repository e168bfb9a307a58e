"""Evaluate what a persona still knows: questions, scores, the free cloze form, and the report."""
