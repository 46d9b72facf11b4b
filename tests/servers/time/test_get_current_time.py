"""The server `time` as a client sees it, over real stdio (seed 002 §Tooling yang Dikonsumsi; issue 3)."""

from __future__ import annotations

import pytest
from mcp import Client

from servers.time.moment import greeting
from tests.servers.process import refused, served

MORNING = "2026-03-05T09:15:00+07:00"


def time_server(**env: str) -> Client:
    return served("time", **env)


async def test_it_is_named_time_and_says_it_must_be_called_first() -> None:
    async with time_server() as client:
        assert client.server_info is not None
        assert client.server_info.name == "time"
        assert "di awal percakapan" in (client.instructions or "")
        (tool,) = (await client.list_tools()).tools
        assert tool.name == "get_current_time"
        assert tool.annotations is not None and tool.annotations.read_only_hint is True
        assert set(tool.input_schema["properties"]) == {"timezone", "city"}
        assert "required" not in tool.input_schema


async def test_the_moment_comes_in_two_languages_with_a_greeting() -> None:
    async with time_server(AGENTD_CLOCK=MORNING, DEFAULT_TIMEZONE="Asia/Jakarta", DEFAULT_CITY="Jakarta") as client:
        result = await client.call_tool("get_current_time", {})
    assert result.structured_content == {
        "time": "2026-03-05T09:15:00+07:00",
        "weekday_id": "Kamis",
        "weekday_en": "Thursday",
        "date_id": "5 Maret 2026",
        "date_en": "5 March 2026",
        "greeting": "pagi",
        "timezone": "Asia/Jakarta",
        "zone": "WIB",
        "city": "Jakarta",
    }
    assert result.content[0].text == "Selamat pagi. Sekarang Kamis, 5 Maret 2026, pukul 09.15 WIB di Jakarta."


PLACES = (
    ({"timezone": "Asia/Makassar"}, "10:15:00+08:00", "Asia/Makassar", "Makassar"),
    ({"timezone": "wit"}, "11:15:00+09:00", "Asia/Jayapura", "Jayapura"),
    ({"timezone": "Jakarta"}, "09:15:00+07:00", "Asia/Jakarta", "Jakarta"),
    ({"city": "Denpasar"}, "10:15:00+08:00", "Asia/Makassar", "Denpasar"),
    ({"city": "New York"}, "21:15:00-05:00", "America/New_York", "New York"),
    ({"city": "Depok"}, "09:15:00+07:00", "Asia/Jakarta", "Depok"),
    ({"city": "Mekkah"}, "09:15:00+07:00", "Asia/Jakarta", "Jakarta"),
    ({"timezone": None, "city": ""}, "09:15:00+07:00", "Asia/Jakarta", "Jakarta"),
)


async def test_zone_and_city_are_found_however_they_are_named() -> None:
    async with time_server(AGENTD_CLOCK=MORNING) as client:
        for asked, time, timezone, city in PLACES:
            answer = (await client.call_tool("get_current_time", asked)).structured_content
            assert answer is not None
            assert (answer["time"][11:], answer["timezone"], answer["city"]) == (time, timezone, city), asked


async def test_a_city_whose_zone_nobody_knows_is_named_and_given_no_hour() -> None:
    async with time_server(AGENTD_CLOCK=MORNING) as client:
        result = await client.call_tool("get_current_time", {"city": "Mekkah"})
        assert result.content[0].text.endswith(
            "WIB di Jakarta. Zona waktu 'Mekkah' tidak diketahui; sebutkan timezone."
        )


async def test_wrong_arguments_are_named_and_not_quoted() -> None:
    async with time_server() as client:
        result = await client.call_tool("get_current_time", {"timezone": 12345, "city": ["x"]})
        assert result.is_error
        assert result.content[0].text == (
            "get_current_time: timezone should be a valid string; city should be a valid string"
        )


async def test_a_zone_that_does_not_exist_is_refused_in_words() -> None:
    async with time_server() as client:
        for zone in ("Mars/Olympus", "../../etc/passwd", "Asia", "x" * 10_000):
            result = await client.call_tool("get_current_time", {"timezone": zone})
            assert result.is_error
            assert "tidak dikenal" in result.content[0].text
            assert len(result.content[0].text) < 300


@pytest.mark.parametrize(
    ("hour", "expected"),
    [(3, "malam"), (4, "pagi"), (10, "pagi"), (11, "siang"), (14, "siang"), (15, "sore"), (17, "sore"), (18, "malam")],
)
def test_greetings_change_when_indonesians_change_them(hour: int, expected: str) -> None:
    assert greeting(hour) == expected


@pytest.mark.parametrize(("name", "value"), [("DEFAULT_TIMEZONE", "Mars/Olympus"), ("AGENTD_CLOCK", "yesterday")])
def test_a_wrong_setting_stops_the_start_and_is_named(name: str, value: str) -> None:
    said = refused("time", **{name: value})
    assert name in said and value in said
