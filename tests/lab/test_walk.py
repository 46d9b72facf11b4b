"""How many files a reader opens who follows a prompt to its letter, or the check of grounding (issue 16: 20, 10)."""

from __future__ import annotations

import subprocess
import sys

from tests.docs.test_structure import walk


def test_a_prompt_goes_through_at_most_twenty_files_from_http_to_the_letter() -> None:
    words = (sys.executable, "-m", "lab.tools.walk")
    printed = subprocess.run(words, capture_output=True, text=True, check=True, timeout=600).stdout.splitlines()
    files = [line for line in printed if line.endswith(".py")]
    assert len(files) <= 20
    assert 5 <= printed[-1].count(".py") <= 10, "the check of grounding"
    told = [next((file for file in files if file.endswith(f"/{name}")), name) for name in walk()]
    assert sorted(told) == sorted(files), "docs/architecture.md names others"
