"""The data servers called by clients of other makers: the protocol's own inspector, and Vercel's AI SDK (both npm)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import warm

BIN = Path(__file__).resolve().parent.parent / "node_modules" / ".bin"
NODE = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "mysql": ("execute_sql_query", {"sql_queries": ["SELECT COUNT(*) AS transaction_count FROM sales_orders"]}),
    "sim_testgeluran": (
        "execute_operation_plan",
        {
            "operations": [
                {
                    "operation_id": "how_many",
                    "purpose": "count",
                    "main_table": "mastercustomer",
                    "select_columns": [{"field_name": "mastercustomer.Code", "aggregation": "COUNT", "alias": "N"}],
                    "result_key": "N",
                    "expected_result_format": "single_value",
                }
            ]
        },
    ),
    "placeholder": (
        "fill_placeholders",
        {
            "response_template": "Total {T}",
            "data_values": {"T": 1234.5},
            "formatting_rules": {"T": {"type": "currency_IDR", "precision": 2}},
        },
    ),
    "graphiti": ("get_relevant_schema", {"intent": "EXECUTE_QUERY", "entities": ["piutang"]}),
    "text2cypher": ("run_cypher", {"query": "MATCH (m:MK {semester: 8}) RETURN m.nama AS n"}),
}
SAID = {
    "mysql": "transaction_count",
    "sim_testgeluran": "how_many",
    "placeholder": "Rp 1.234,50",
    "graphiti": "arbook",
    "text2cypher": "Skripsi",
}
AI_SDK = """
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as Stdio } from '@ai-sdk/mcp/mcp-stdio';
const [python, server, tool, input] = process.argv.slice(2);
const transport = new Stdio({ command: python, args: ['-m', `servers.${server}`], env: process.env });
const client = await createMCPClient({ transport });
const tools = await client.tools();
const result = await tools[tool].execute(JSON.parse(input), { messages: [], toolCallId: '1' });
console.log(JSON.stringify({ tools: Object.keys(tools), result }));
await client.close();
"""


@pytest.mark.parametrize("server", CALLS)
def test_the_inspector_lists_and_calls_it(server: str, tmp_path: Path) -> None:
    tool, arguments = CALLS[server]
    told = {name: value if isinstance(value, str) else json.dumps(value) for name, value in arguments.items()}
    words = [word for name, value in told.items() for word in ("--tool-arg", f"{name}={value}")]
    command = [BIN / "mcp-inspector", "--cli", warm.python(), "-m", f"servers.{server}"]
    env = {**NODE, "AGENTD_STATE": str(tmp_path)}
    listed = _run([*command, "--method", "tools/list"], env)
    assert tool in {each["name"] for each in json.loads(listed)["tools"]}
    assert SAID[server] in _run([*command, "--method", "tools/call", "--tool-name", tool, *words], env)


@pytest.mark.parametrize("server", CALLS)
def test_another_makers_client_lists_and_calls_it(server: str, tmp_path: Path) -> None:
    tool, arguments = CALLS[server]
    script = BIN.parent.parent / f".ai-sdk-{os.getpid()}.mjs"
    script.write_text(AI_SDK)
    try:
        env = {**NODE, "AGENTD_STATE": str(tmp_path)}
        said = _run(["node", script, warm.python(), server, tool, json.dumps(arguments)], env)
    finally:
        script.unlink()
    answer = json.loads(said)
    assert tool in answer["tools"]
    assert SAID[server] in json.dumps(answer["result"])


def _run(command: list[object], env: dict[str, str]) -> str:
    done = subprocess.run([str(word) for word in command], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    return done.stdout
