"""Timed jobs: backups pruned and verified, the archive kept in order, postponed work tried again."""
