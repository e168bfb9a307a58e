"""Tests of memproc. What Python compiles is kept, also where the environment says otherwise.

Every worker, and hundreds of processes of stories, would compile the same modules again; and pytest, which rewrites
the hundred modules of Hypothesis, would do that each time. So it is said here, before they are imported.
"""

import os
import sys

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
