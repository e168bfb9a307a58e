"""Whoever asks over HTTP here closes every reply."""

from tests.server.replies import every_reply_is_closed

__all__ = ["every_reply_is_closed"]
