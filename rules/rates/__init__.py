"""Rate limits: what a provider's headers say of them, and when the next call may leave."""
