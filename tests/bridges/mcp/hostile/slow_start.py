"""Starts slowly: it waits until the file named by GATE exists."""

import os
import time
from pathlib import Path

import speak

while not Path(os.environ["GATE"]).exists():
    time.sleep(0.01)
speak.serve(lambda request: speak.answer(request, speak.text("done")))
