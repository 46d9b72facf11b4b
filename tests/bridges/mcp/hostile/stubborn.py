"""Ignores every polite request to exit, and so do its grandchildren: in its group, in a session of their own,
and adopted by init after a double fork. All of them keep its standard output open."""

import os
import signal
import time

import speak

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)


def linger():
    while True:
        time.sleep(60)


if os.fork() == 0:
    linger()
if os.fork() == 0:
    os.setsid()
    linger()
between = os.fork()
if between == 0:
    os.setsid()
    if os.fork() == 0:
        linger()
    os._exit(0)
os.waitpid(between, 0)
try:
    speak.serve(lambda request: speak.answer(request, speak.text("done")))
finally:
    linger()
