"""Asking models, the journal first, and counting tokens. Loaded when there is work to do."""
