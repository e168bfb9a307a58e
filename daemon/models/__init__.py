"""Asking models: the journal first, then LiteLLM; and counting tokens. Loaded when there is work to do."""
