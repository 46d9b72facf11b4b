"""One guarded subprocess as an MCP transport: pipes, limits, and an end that leaves no processes behind.

It replaces the SDK's stdio client, which reads without a limit, logs lines that it can't parse, and starts the server
without a guardian.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from agentd.messages import ServerSettings
from bridges.mcp.credentials import handed_over, removed
from bridges.mcp.limits import ServerLimits
from bridges.mcp.lines import LineCutter, Noise, Oversize
from bridges.mcp.reasons import ServerGone
from bridges.mcp.tail import StderrTail

LAST_WORDS_S = 1.0
"""How long to read standard error after the server has ended; its last output is already in the pipe."""
GUARDIAN = Path(__file__).with_name("guardian.py")
INHERITED = ("HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
_CHUNK = 256 * 1024

Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]
logger = logging.getLogger(__name__)


class Subprocess:
    """A server started by its command. `lost` is set when it has ended or was given up; `why` says the reason."""

    def __init__(self, settings: ServerSettings, limits: ServerLimits) -> None:
        self._settings = settings
        self._limits = limits
        secrets = (value.decode("utf-8", "replace") for value in settings.credentials.values())
        self.tail = StderrTail(limits.stderr_bytes, [*settings.env.values(), *secrets])
        self.lost = asyncio.Event()
        self.why = ""
        self.pid: int | None = None
        self._to_session: MemoryObjectSendStream[SessionMessage | Exception] | None = None

    def give_up(self, why: str) -> None:
        """Mark the server as lost; callers waiting for an answer get an error at once."""
        self._close_session()
        if not self.lost.is_set():
            self.why = why
            self.lost.set()

    def _close_session(self) -> None:
        if self._to_session is not None:
            self._to_session.close()

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[Streams]:
        """Start the server; on leaving, end it and everything it started, within about three grace periods.

        Raises ServerGone when the command or the folder doesn't exist.
        """
        loop = asyncio.get_running_loop()
        folder = handed_over(self._settings.credentials)
        try:
            process, fds = self._start(folder)
        except BaseException:
            removed(folder)
            raise
        self.pid = process.pid
        ended = asyncio.Event()
        pidfd = os.pidfd_open(process.pid)
        loop.add_reader(pidfd, ended.set)
        exited = asyncio.create_task(self._watch(process, ended), name=f"mcp {self._settings.name} exit")
        try:
            async with _pipes(*fds) as (reader, errors, writer):
                to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
                to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
                self._to_session = to_session
                name = f"mcp {self._settings.name}"
                tasks = [
                    asyncio.create_task(self._read(reader, to_session, ended), name=f"{name} stdout"),
                    asyncio.create_task(self._write(writer, from_session), name=f"{name} stdin"),
                    asyncio.create_task(self._remember(errors), name=f"{name} stderr"),
                ]
                try:
                    yield from_server, to_server
                finally:
                    # Shielded: a cancelled session must not leave its server behind. Every wait has a limit.
                    with anyio.CancelScope(shield=True):
                        for stream in (from_server, to_server, to_session, from_session):
                            stream.close()
                        _hang_up(writer)
                        await self._end(process, exited)
                        await asyncio.wait(tasks[-1:], timeout=LAST_WORDS_S)
                        for task in tasks:
                            task.cancel()
                        await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            with anyio.CancelScope(shield=True):
                await self._end(process, exited)  # also if it was cancelled before the pipes were open
            loop.remove_reader(pidfd)
            os.close(pidfd)
            removed(folder)  # the guardian has done this, unless it was killed

    def _start(self, folder: Path | None) -> tuple[subprocess.Popen[bytes], tuple[int, int, int]]:
        """Start the command under its guardian. Returns it with our ends of its stdout, stderr and stdin."""
        env = environment(self._settings)
        if folder is not None:
            env["CREDENTIALS_DIRECTORY"] = str(folder)
        command = locate(self._settings, env)
        stdin_theirs, stdin_ours = os.pipe()
        stdout_ours, stdout_theirs = os.pipe()
        stderr_ours, stderr_theirs = os.pipe()
        cleared = [] if folder is None else ["--remove", str(folder)]
        wrapped = [sys.executable, "-I", "-S", str(GUARDIAN), str(self._limits.grace_s), *cleared, "--", command]
        try:
            process = subprocess.Popen(
                [*wrapped, *self._settings.args],
                stdin=stdin_theirs,
                stdout=stdout_theirs,
                stderr=stderr_theirs,
                env=env,
                cwd=self._settings.workdir,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            for fd in (stdin_ours, stdout_ours, stderr_ours):
                os.close(fd)
            raise ServerGone(f"it can't be started: {error}") from error
        finally:
            for fd in (stdin_theirs, stdout_theirs, stderr_theirs):
                os.close(fd)
        return process, (stdout_ours, stderr_ours, stdin_ours)

    async def _read(
        self,
        reader: asyncio.StreamReader,
        out: MemoryObjectSendStream[SessionMessage | Exception],
        ended: asyncio.Event,
    ) -> None:
        cutter, noise = LineCutter(self._limits.message_bytes), 0
        name = self._settings.name
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            while data := await reader.read(_CHUNK):
                for line in cutter.feed(data):
                    match line:
                        case Noise(size):
                            noise += 1
                            if noise in (1, 10, 100):
                                logger.warning("server %s: %d bytes on its standard output are not MCP", name, size)
                            if noise >= self._limits.noise_lines:
                                return self.give_up("its standard output is not MCP")
                        case Oversize(size, answer):
                            logger.warning("server %s: a message of %d bytes was thrown away", name, size)
                            if answer is not None:
                                await out.send(SessionMessage(answer))
                        case message:
                            noise = 0
                            await out.send(SessionMessage(message))
                if cutter.open_bytes > self._limits.runaway_bytes:
                    return self.give_up("it sends a message without end")
        self._close_session()
        with contextlib.suppress(TimeoutError):  # the exit code says more, and usually follows at once
            async with asyncio.timeout(self._limits.grace_s):
                await ended.wait()
            return None  # `_watch` reports the exit
        return self.give_up("it closed its standard output")

    async def _write(self, writer: asyncio.WriteTransport, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Write without waiting for the server to read: the SDK counts a call's time only once it is written."""
        with contextlib.suppress(anyio.ClosedResourceError):
            async for item in messages:
                if writer.is_closing():
                    return None
                writer.write(encode(item))
                if writer.get_write_buffer_size() > self._limits.unread_bytes:
                    return self.give_up("it does not read its standard input")
        return None

    async def _remember(self, errors: asyncio.StreamReader) -> None:
        while data := await errors.read(_CHUNK):
            self.tail.feed(data)
            for line in self.tail.errors(data):
                logger.error("server %s: %s", self._settings.name, line)

    async def _watch(self, process: subprocess.Popen[bytes], ended: asyncio.Event) -> None:
        await ended.wait()
        self.give_up(_how_it_ended(process.wait()))

    async def _end(self, process: subprocess.Popen[bytes], exited: asyncio.Task[None]) -> None:
        """Wait for the guardian, which needs one grace period; kill it (and so the server) if it takes too long."""
        done, _ = await asyncio.wait({exited}, timeout=2 * self._limits.grace_s + 1)
        if not done:
            logger.warning("server %s: its guardian did not end; killing it", self._settings.name)
            process.kill()
            await exited


def environment(settings: ServerSettings) -> dict[str, str]:
    """Return the server's environment: harmless variables, a PATH with our own programs first, its settings' env."""
    env = {name: os.environ[name] for name in INHERITED if name in os.environ}
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return env | dict(settings.env)


def locate(settings: ServerSettings, env: dict[str, str]) -> str:
    """Return the path of the command. Raises ServerGone, saying what is missing."""
    command = settings.command or ""
    if settings.workdir is not None and not Path(settings.workdir).is_dir():
        raise ServerGone(f"its workdir {settings.workdir} is not a folder")
    if "/" in command:
        path = Path(settings.workdir or ".") / command
        if not path.is_file():
            raise ServerGone(f"its command {command} does not exist")
        return str(path.absolute())
    found = shutil.which(command, path=env["PATH"])
    if found is None:
        raise ServerGone(f"its command `{command}` is not installed (not found in PATH)")
    return found


def encode(item: SessionMessage) -> bytes:
    """Encode a message as a line. Half a surrogate pair, which a model can write but UTF-8 can't hold, becomes `?`."""
    try:
        return item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except ValueError:
        value = item.message.model_dump(by_alias=True, exclude_unset=True)
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _hang_up(writer: asyncio.WriteTransport) -> None:
    """Close standard input, dropping what the server has not read yet."""
    if writer.get_write_buffer_size():
        writer.abort()
    else:
        writer.close()


def _how_it_ended(code: int) -> str:
    """Describe the guardian's exit code: above 128 it may be a signal."""
    try:
        return f"it ended by {signal.Signals(code - 128).name}"
    except ValueError:
        return f"it ended with exit code {code}"


@asynccontextmanager
async def _pipes(
    stdout: int, stderr: int, stdin: int
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamReader, asyncio.WriteTransport]]:
    loop = asyncio.get_running_loop()
    transports: list[asyncio.BaseTransport] = []
    readers: list[asyncio.StreamReader] = []
    unopened = [stdin, stderr, stdout]
    try:
        for _ in range(2):
            reader = asyncio.StreamReader(limit=_CHUNK)
            protocol = asyncio.StreamReaderProtocol(reader)
            transports.append((await loop.connect_read_pipe(_constant(protocol), _opened(unopened.pop(), "rb")))[0])
            readers.append(reader)
        writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, _opened(unopened.pop(), "wb"))
        transports.append(writer)
        yield readers[0], readers[1], writer
    finally:
        for transport in transports:
            transport.close()
        for fd in unopened:
            os.close(fd)


def _opened(fd: int, mode: str) -> IO[bytes]:
    """Open a pipe's end so that it is closed only once on the running loop.

    uvloop closes the descriptor itself and then the file; by then another thread may have opened the same number, such
    as a database connection.
    """
    return os.fdopen(fd, mode, 0, closefd=isinstance(asyncio.get_running_loop(), asyncio.BaseEventLoop))


def _constant(protocol: asyncio.StreamReaderProtocol) -> Callable[[], asyncio.StreamReaderProtocol]:
    return lambda: protocol
