"""The bridge's pure parts: cutting lines, waiting longer, striking out, reading results."""

from __future__ import annotations

import time

import orjson
import pytest
from mcp_types import CallToolResult, ImageContent, JSONRPCError, JSONRPCResponse, ResourceLink, TextContent

from agentd.messages import Artifact
from bridges.mcp.artifacts import safe_name
from bridges.mcp.backoff import Backoff
from bridges.mcp.limits import ServerLimits
from bridges.mcp.lines import PARTS, LineCutter, Noise, Oversize, parse
from bridges.mcp.outcome import outcome_of, plain
from bridges.mcp.tail import StderrTail

PING = b'{"jsonrpc":"2.0","method":"ping"}'


def test_json_too_deep_to_read_is_noise() -> None:
    assert isinstance(parse(b'{"jsonrpc":"2.0","method":"x","params":' + b"[" * 500_000), Noise)


@pytest.mark.parametrize("depth", [500, 50_000])
def test_an_answer_that_is_nested_too_deeply_fails_its_call_at_once(depth: int) -> None:
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    answer = parse(b'{"jsonrpc":"2.0","id":7,"result":{"structuredContent":' + deep + b"}}")
    assert isinstance(answer, JSONRPCError)
    assert (answer.id, answer.error.message) == (7, "the answer can't be read")
    assert isinstance(parse(b'{"jsonrpc":"2.0","id":7,"method":"ping","params":' + deep + b"}"), Noise), "no answer"


@pytest.mark.parametrize("part", [b'{"content":[%s]}', b'{"structuredContent":{"rows":[{"deep":[%s]}]}}'])
def test_an_answer_of_too_many_values_fails_its_call(part: bytes) -> None:
    """Wherever they are: the event loop takes seconds for millions."""
    for times, kind in ((PARTS - 10, JSONRPCResponse), (PARTS, JSONRPCError)):
        result = part % b",".join(times * [b"0"])
        assert isinstance(parse(b'{"jsonrpc":"2.0","id":7,"result":' + result + b"}"), kind)


def test_an_id_inside_a_result_is_not_taken_for_the_messages_own() -> None:
    """Else a giant message could fail somebody else's call."""
    inside = b'{"result":{"id":7,' + b'"a":"' + b"x" * 1000 + b'"},"jsonrpc":"2.0","id":8}\n'
    (line,) = LineCutter(limit=500).feed(inside)
    assert isinstance(line, Oversize)
    assert isinstance(line.answer, JSONRPCError)
    assert line.answer.id == 8
    (line,) = LineCutter(limit=500).feed(b'{"result":{"a":"' + b"x" * 1000 + b'","id":7}}\n')
    assert line == Oversize(1026, None)


def test_waits_double_up_to_a_bound_and_start_over_after_a_steady_time() -> None:
    backoff = Backoff(ServerLimits(retry_first_s=1, retry_most_s=8, steady_s=10))
    waits = [backoff.after(lasted) for lasted in (3, 3, None, None, None, None, 10, None)]
    wanted = (0, 2, 4, 8, 8, 8, 0, 2)
    assert all(0.8 * want <= wait <= 1.2 * want for wait, want in zip(waits, wanted, strict=True))


def test_the_tail_is_bounded_and_says_nothing_in_confidence() -> None:
    tail = StderrTail(100, secrets=["key-0123456"])
    tail.feed(b"x" * 500 + b"\n\x1b[31mno key-0123456 for 3171234567890123\x1b[0m\n\n")
    assert tail.last_line() == "no … for …"
    tail.confide({"applicant": {"name": "Siti Aminah"}, "children": ["Budi"]})
    tail.feed(b"Aminah has Budi\n")
    assert tail.text().endswith("| … has …")
    assert len(tail.text()) <= 100
    assert tail.last_line() == "", "what citizens said may be in it in another form"


NODES = """file:///srv/bikes.mjs:1
import x from "nonesuch";
^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'nonesuch' imported from /srv/bikes.mjs
    at packageResolve (node:internal/modules/esm/resolve:873:9) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v20.20.2
"""


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (NODES, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'nonesuch' imported from /srv/bikes.mjs"),
        ("listening\nNode.js v20.20.2\n", "Node.js v20.20.2"),
        ("KeyError: 'PORT'\nPORT is missing: set it\n", "PORT is missing: set it"),
    ],
)
def test_why_a_server_ended_is_its_error_and_not_what_its_runtime_closes_with(said: str, why: str) -> None:
    tail = StderrTail(4096)
    tail.feed(said.encode())
    assert tail.last_line() == why


def test_a_failed_results_message_is_its_text_else_its_structured_errors() -> None:
    """Issue 3: a tool's message is its first non-empty text block, else its structured error's message."""

    def message(*texts: str, structured: dict[str, object] | None = None) -> str:
        content = [TextContent(text=text) for text in texts]
        return outcome_of(CallToolResult(content=content, structured_content=structured, is_error=True), ()).message

    assert message(" ", "late", structured={"error": {"message": "no"}}) == "late"
    assert message(structured={"error": {"message": "no"}}) == "no"
    assert message(structured={"error": "no"}) == "no"
    assert message(structured={"message": "no"}) == "no"
    assert message(structured={"error": 5}) == "The tool failed and did not say why."


def test_output_is_what_every_json_writer_can_write() -> None:
    value = {"n": float("nan"), "s": "a\ud800", "big": 2**70, "list": [1.5, None]}
    assert plain(value) == {"n": None, "s": "a?", "big": str(2**70), "list": [1.5, None]}
    orjson.dumps(plain({"big": -(2**63) - 1}))


def test_json_in_a_text_that_is_too_deep_or_too_large_stays_a_text() -> None:
    """What is read goes into events and answers, which other libraries write up to a depth of their own."""
    deep = [("[" * depth + "]" * depth, kind) for depth, kind in ((150, dict), (300, str), (900, str), (100_000, str))]
    for value, kind in (*deep, ("[0" + PARTS * ",0" + "]", str)):
        text = f'{{"a":{value}}}'
        output = outcome_of(CallToolResult(content=[TextContent(text=text)]), ()).output
        assert type(output) is kind
        orjson.dumps({"result": {"steps": [{"output": output}]}})


def test_striking_out_costs_the_same_however_much_was_confided() -> None:
    """A long alternative takes the compiler of expressions minutes, on the event loop."""
    tail = StderrTail(4096)
    tail.confide(["kata " * 200_000 + str(number) for number in range(200)])
    before = time.thread_time()
    assert tail.struck("ini KATA rahasia " * 200) == "ini … rahasia " * 200
    assert time.thread_time() - before < 1


@pytest.mark.parametrize("name", ["../../x", "..", "", "a/b", "\x00", "." * 300, "ключ"])
def test_every_name_is_a_plain_files_name(name: str) -> None:
    assert safe_name(name) not in ("", ".", "..")
    assert not {"/", "\x00"} & set(safe_name(name))
    assert not safe_name(name).startswith(".")


def test_a_links_address_is_in_the_output_and_a_file_without_words_is_named() -> None:
    report = ResourceLink(name="report", title="The report", uri="https://office.example/report.pdf")
    outcome = outcome_of(CallToolResult(content=[TextContent(text="Here it is:"), report]), ())
    assert outcome.output == "Here it is:\nThe report: https://office.example/report.pdf"
    local = ResourceLink(name="report", uri="file:///srv/report.pdf")
    file = Artifact(name="report.pdf", uri="file:///srv/report.pdf", media_type="application/pdf", sha256="0" * 64)
    assert outcome_of(CallToolResult(content=[local]), (file,)).message == "report.pdf"
    assert outcome_of(CallToolResult(content=[local], is_error=True), (file,)).message.startswith("The tool failed")


def test_a_files_bytes_are_not_repeated_in_the_output() -> None:
    """As server-filesystem's read_media_file does: megabytes of base64 for the model and the journal."""
    picture = ImageContent(data="iVBORw0KGgo=", mime_type="image/png")
    repeated = {"content": [{"type": "image", "data": picture.data, "mimeType": "image/png"}], "more": ""}
    outcome = outcome_of(CallToolResult(content=[picture], structured_content=repeated), ())
    assert outcome.output["content"][0]["data"] == "(image/png)"
    assert outcome.output["more"] == ""
