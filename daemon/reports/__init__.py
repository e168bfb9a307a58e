"""Reports: what memproc says about each subject, defined once for terminal, page and JSON."""
