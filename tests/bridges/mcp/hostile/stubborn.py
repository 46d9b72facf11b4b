"""Ignores every polite request to leave, and has grandchildren that do so too: in its group, in their own session,
and adopted by init after a double fork. Its standard output stays open in all of them."""

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
