"""Closes its standard output in a call and lives on."""

import os
import time

import speak


def close(_):
    os.close(1)
    time.sleep(3600)


speak.serve(close)
