"""`make demo`: a citizen at the counter asks the daemon for a letter, and the letter lies on disk. Nothing is scripted:
the model is the embedded one, the daemon is `agentd serve`, the wire is JSON-RPC 2.0 over HTTP.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
AGENTD = Path(sys.executable).with_name("agentd")
CITIZEN = {
    "nama": "Nama saya Budi Santoso",
    "nik": "NIK 3175061501900003",
    "tempat_lahir": "lahir di Jakarta",
    "tanggal_lahir": "tanggal lahir 15 Januari 1990",
    "agama": "agama Islam",
    "status_perkawinan": "belum kawin",
    "pekerjaan": "pekerjaan karyawan swasta",
    "alamat_domisili": "alamat domisili Jl. Melati No. 5",
    "rt": "RT 3",
    "rw": "RW 7",
    "keperluan": "untuk melamar pekerjaan",
}
HELD_BACK = ("nik", "keperluan")
"""What the citizen forgets at first, so that the agent has something to ask for."""
TURNS = 8


def main() -> int:
    """Hold the conversation; 0 when it ended with a letter on disk."""
    began = time.monotonic()
    say("The embedded model (fetched once, checked by sha256)")
    subprocess.run([AGENTD, "models", "pull"], check=True)
    state = Path(os.environ.get("AGENTD_STATE") or tempfile.mkdtemp(prefix="agentd-demo-"))
    say("The daemon")
    with daemon(state) as url:
        outcome = converse(url)
    for step in outcome["steps"]:
        print(f"   {step['tool']} @ {step['server']}: {'ok' if step['success'] else 'refused'}, {step['message']}")
    letters = [artifact for artifact in outcome["artifacts"] if artifact["name"].endswith(".pdf")]
    if not letters:
        print("\nNo letter was issued: the conversation above shows why.", file=sys.stderr)
        return 1
    file = Path(letters[0]["path"])
    say(f"The letter: {file} ({file.stat().st_size} bytes, sha256 {letters[0]['sha256'][:16]}…)")
    print(indented(text_of(file)))
    say("Genuine? (agentd letters verify)")
    subprocess.run([AGENTD, "letters", "verify", file, "--state", state], check=True)
    say(f"Done in {time.monotonic() - began:.0f} s")
    return 0


def converse(url: str) -> dict[str, Any]:
    """The citizen's side: greet, give most of the data, then whatever is asked for, then yes."""
    known = [words for field, words in CITIZEN.items() if field not in HELD_BACK]
    said = ["Selamat siang", f"Saya mau buat surat keterangan domisili. {', '.join(known)}."]
    session = f"demo-{os.getpid()}"
    for turn in range(TURNS):
        prompt = said[turn] if turn < len(said) else "Apa lagi yang perlu saya sebutkan?"
        print(f"\nwarga   {prompt}")
        outcome = call(url, "Agent.run", prompt=prompt, session_id=session)
        print(f"agentd  {indented(outcome['response'], 8).strip()}   [{outcome['provider']}/{outcome['model']}]")
        if outcome["artifacts"]:
            return outcome
        if outcome["status"] == "needs_approval":
            said.append("ya, benar")
        elif turn > 0:
            said.append(reply_to(outcome["response"]))
    return outcome


def reply_to(question: str) -> str:
    """What a citizen answers: each thing that the question names."""
    names = {"nik": r"\bnik\b", "keperluan": r"keperluan|tujuan"} | {
        field: field.replace("_", " ") for field in CITIZEN if field not in HELD_BACK
    }
    asked = [CITIZEN[field] for field, named in names.items() if re.search(named, question.casefold())]
    return ", ".join(asked or [CITIZEN[field] for field in HELD_BACK]) + "."


@contextmanager
def daemon(state: Path) -> Iterator[str]:
    """`agentd serve` on a free port; its address once it is ready, its end when the block ends."""
    command = [
        AGENTD,
        "serve",
        "--config",
        ROOT / "config" / "client.toml",
        "--state",
        state,
        "--listen",
        "127.0.0.1:0",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith("ready "):
            raise SystemExit(f"agentd did not start (exit {process.wait(10)}); its words are above")
        print(f"   {line.strip()}")
        yield line.split()[1]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def call(url: str, method: str, **params: Any) -> Any:
    """One JSON-RPC call."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get("AGENTD_TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    with urllib.request.urlopen(urllib.request.Request(f"{url}/rpc", body, headers), timeout=600) as response:
        answer = json.load(response)
    if "error" in answer:
        raise SystemExit(f"{method}: {json.dumps(answer['error'], ensure_ascii=False, indent=1)}")
    return answer["result"]


def text_of(pdf: Path) -> str:
    """The words on the letter's page."""
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf)
    return str(document[0].get_textpage().get_text_bounded())


def say(text: str) -> None:
    """A heading."""
    print(f"\n▸ {text}", flush=True)


def indented(text: str, by: int = 3) -> str:
    """The text moved to the right."""
    return "\n".join(" " * by + line for line in text.splitlines())


if __name__ == "__main__":
    sys.exit(main())
