"""A lost archive, had back from what lies in the backups and among the updated exports."""
