"""Closes its standard output in a call but keeps running."""

import os
import time

import speak


def close(_):
    os.close(1)
    time.sleep(3600)


speak.serve(close)
