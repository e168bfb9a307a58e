"""The providers' ways of asking and answering, one file each."""
