"""Ignores the end of its standard input, but cleans up and exits at SIGTERM."""

import os
import signal
import sys
import time
from pathlib import Path

import speak


def leave(*_):
    Path(os.environ["GOODBYE"]).write_text("goodbye")
    sys.exit(0)


signal.signal(signal.SIGTERM, leave)
speak.serve(lambda _: None)
time.sleep(3600)
