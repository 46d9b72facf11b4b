"""POST /login over real HTTP: the audit trail says who came in by a typed token."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import aiohttp

from agentd.audit import AuditTrail
from agentd.clock import SystemClock
from agentd.http.login import login_route
from tests.agentd.twins import wire


async def test_a_login_is_in_the_audit_trail_and_a_wrong_token_is_not(tmp_path: Path) -> None:
    audit = AuditTrail(tmp_path, SystemClock())
    async with wire(tmp_path, mounted=[login_route(audit)]) as at, aiohttp.ClientSession() as session:

        async def login(**headers: str) -> int:
            async with session.post(at.url + "/login", headers=headers) as answer:
                return answer.status

        assert await login() == 401  # nobody needs a token yet, so nobody logs in
        token = at.tokens.add("siti", frozenset({"staff"}), now=datetime.now(UTC))
        assert await login(Authorization="Bearer wrong") == 401
        assert await login(Authorization=f"Bearer {token}", Origin="http://evil.example") == 403
        assert await login(Authorization=f"Bearer {token}") == 204
    audit.close()
    assert [(entry.action, entry.actor) for entry in audit.entries()] == [("login.succeeded", "siti")]
    assert token not in (tmp_path / "audit.jsonl").read_text()
