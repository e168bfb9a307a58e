"""The inbox, watched: what lies in it is compared with the archive, and taken once it has stood still."""
