"""How many files a reader opens who follows a prompt to its letter (issue 16: at most 20)."""

from __future__ import annotations

import subprocess
import sys


def test_a_prompt_goes_through_at_most_twenty_files_from_http_to_the_letter() -> None:
    words = (sys.executable, "-m", "lab.tools.walk")
    printed = subprocess.run(words, capture_output=True, text=True, check=True, timeout=600).stdout.splitlines()
    files = [line for line in printed if line.endswith(".py")]
    assert (files[0], files[-1]) == ("agentd/http/guard.py", "servers/certificate/archive.py")
    assert "agentd/agent/loop.py" in files
    assert len(files) <= 20
