"""What a model says of letters while the server that issues them is away: the claim is checked as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.daemon import HEAD, SERVERS, final, running

LIE = "Surat domisili Anda telah diterbitkan."
DEAD = '[[servers]]\nname = "certificate"\ncommand = "false"\nfor = ["kiosk", "staff", "admin"]\n'


@pytest.mark.parametrize("after", ["", DEAD], ids=["removed by a reload", "replaced by one that does not start"])
def test_a_letter_is_not_claimed_once_its_server_has_gone(tmp_path: Path, after: str) -> None:
    with running(
        tmp_path, final("Selamat pagi."), final(LIE), final(LIE), final(LIE), config=HEAD + SERVERS["certificate"]
    ) as daemon:
        daemon.call("Agent.run", prompt="Apa kabar?", session_id="budi")
        daemon.config.write_text(HEAD + after)
        daemon.call("Config.reload")
        answer = daemon.call("Agent.run", prompt="Bagaimana surat saya?", session_id="budi")["response"]
        assert "telah diterbitkan" not in answer


def test_a_letter_is_not_claimed_while_its_server_has_never_been_up(tmp_path: Path) -> None:
    with running(tmp_path, final(LIE), final(LIE), final(LIE), config=HEAD + DEAD) as daemon:
        answer = daemon.call("Agent.run", prompt="Bagaimana surat saya?", session_id="budi")["response"]
        assert "telah diterbitkan" not in answer
