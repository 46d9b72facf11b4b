"""`agentd chat` in a real terminal: the card, the yes by a key, and the letter opened in the desktop's viewer."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

from tests.daemon import AGENTD, TOKEN, final, running
from tests.e2e.test_main_job import LETTER, WORDS

PATIENCE_S = 300


class Terminal:
    """A command in a terminal of its own; what it shows, without the terminal's codes."""

    def __init__(self, *words: object, env: dict[str, str]) -> None:
        self._master, slave = pty.openpty()
        plain = {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "COLUMNS": "300", "LINES": "60"}
        self.process = subprocess.Popen(
            [str(word) for word in words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, **plain, **env},
            start_new_session=True,
        )
        os.close(slave)
        self.shown = ""

    def types(self, line: str) -> None:
        os.write(self._master, f"{line}\r".encode())

    def until(self, text: str) -> str:
        """Everything shown since the last wait, once this has been."""
        ends, raw = time.monotonic() + PATIENCE_S, b""
        while text not in self.shown:
            assert time.monotonic() < ends, f"{text!r} was never shown: {self.shown[-2000:]}"
            if select.select([self._master], [], [], 1)[0]:
                try:
                    raw += os.read(self._master, 65536)
                except OSError:  # the terminal is gone
                    raise AssertionError(f"ended before {text!r}: {self.shown[-2000:]}") from None
                self.shown = re.sub(r"\x1b(\[[0-9;?]*[a-zA-Z]|[=>])", "", raw.decode("utf-8", "ignore"))
        seen, self.shown = self.shown, ""
        return seen

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(300)
        os.close(self._master)


def test_a_letter_is_approved_by_a_key_and_opened(tmp_path: Path) -> None:
    viewer, opened = tmp_path / "bin" / "xdg-open", tmp_path / "opened"
    viewer.parent.mkdir()
    os.mkfifo(opened)
    viewer.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    viewer.chmod(0o700)
    env = {"AGENTD_TOKEN": TOKEN, "PATH": f"{viewer.parent}{os.pathsep}{os.environ['PATH']}"}
    with running(tmp_path, LETTER, final("Surat Anda selesai.")) as daemon:
        place = ["--config", daemon.config, "--state", daemon.state, "--listen", daemon.url.rpartition("/")[2]]
        terminal = Terminal(AGENTD, "chat", *place, env=env)
        try:
            terminal.until("agent>")
            terminal.types(WORDS)
            card = terminal.until("y = ya")
            assert "┌ Mohon diperiksa sebelum dilanjutkan: Surat Keterangan Domisili" in card and "Budi Santoso" in card
            terminal.types("y")
            answer = terminal.until("(/open)")
            assert "Surat Anda selesai." in answer
            terminal.types("/open")
            file = Path(opened.read_text().strip())
            assert file.read_bytes().startswith(b"%PDF") and str(file) in answer
            terminal.types("/exit")
            assert terminal.process.wait(PATIENCE_S) == 0
        finally:
            terminal.close()
