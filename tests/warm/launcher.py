# The `python3` and `agentd` of warm processes, run as `python -IS`. It imports little, so it starts in about 20 ms.
# `agentd`, our MCP servers and the tests' own are forked from the template with our descriptors; others start here.

import array
import os
import sys
from _json import encode_basestring_ascii as quoted  # importing json (or signal) would double the start time
from _signal import SIG_DFL, SIGHUP, SIGINT, SIGKILL, SIGTERM, signal
from _socket import AF_UNIX, SCM_RIGHTS, SOL_SOCKET, socket

TEMPLATE = "@TEMPLATE@"
OURS = ("servers.", "tests.", "lab.drill.")
GONE = b"0\n-9\n"  # the answer when the template has ended: no process, killed


def main(program, words):
    ours = (words[:1] == ["-m"] and words[1].startswith(OURS)) or (words and words[0].endswith(".py"))
    if program == "python3" and not ours:
        os.execv(sys.executable, [sys.executable, *words])
    asked = socket(AF_UNIX)
    asked.connect(TEMPLATE)
    argv = ",".join(map(quoted, [program, *words]))
    env = ",".join(f"{quoted(name)}:{quoted(value)}" for name, value in os.environ.items())
    request = f'{{"argv":[{argv}],"env":{{{env}}},"cwd":{quoted(os.getcwd())}}}\n'.encode()
    asked.sendmsg([request[:1]], [(SOL_SOCKET, SCM_RIGHTS, array.array("i", [0, 1, 2]))])
    request = request[1:]
    while request:
        request = request[asked.send(request) :]
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):  # so that readers notice when the server closes them
        os.dup2(nothing, fd)
    answer = b""
    while b"\n" not in answer:
        answer += asked.recv(64) or GONE
    pid = int(answer.split()[0])
    for number in (SIGTERM, SIGINT, SIGHUP):
        signal(number, lambda number, _: os.kill(pid, number))
    while answer.count(b"\n") < 2:
        answer += asked.recv(64) or GONE
    end(int(answer.split()[1]))


def end(code):
    """End as the server did: with its exit code or by its signal."""
    if code < 0:
        if code != -SIGKILL:
            signal(-code, SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


main(os.path.basename(sys.argv[0]), sys.argv[1:])
