"""Values that may be meant of several fields: what was spoken of before settles which, or the citizen is asked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agentd.apps.letters.test_dialogue import STAY, missing

TRANSFER: dict[str, Any] = {
    name: {"type": "string"}
    for name in ("account_balance", "account_type", "recipient_account_type", "recipient_name", "transfer_amount")
}
ALARM: dict[str, Any] = {name: {"type": "string"} for name in ("alarm_time", "new_alarm_time")}
IN_DOUBT = ["Can you make a transfer?", "A: Of course, how much?", "1360 dollars, I think."]


@pytest.mark.parametrize(
    ("properties", "arguments", "lines"),
    [
        (TRANSFER, {"transfer_amount": "1,390 dollars"}, [*IN_DOUBT[:2], "it is 1,390 dollars"]),
        (TRANSFER, {"transfer_amount": "$1360"}, [*IN_DOUBT, "A: So $1,360 from your checking account?", "Yes"]),
        (TRANSFER, {"recipient_name": "Ibu Diana"}, ["Mau transfer Rp134.000 ke rekening giro Ibu Diana."]),
        (
            ALARM,
            {"new_alarm_time": "16:15"},
            ["A: Mau pasang alarm baru?", "Boleh.", "A: Jam berapa?", "Sore jam 4.15."],
        ),
    ],
)
def test_an_ambiguous_question_asks_for_what_was_spoken_of_before_it(
    properties: dict[str, Any], arguments: dict[str, Any], lines: list[str]
) -> None:
    assert missing(properties, arguments, *lines) == set()


@pytest.mark.parametrize(
    ("properties", "arguments", "lines"),
    [
        (TRANSFER, {"account_balance": "1,390 dollars"}, [*IN_DOUBT[:2], "it is 1,390 dollars"]),
        (TRANSFER, {"transfer_amount": "$1360"}, IN_DOUBT),
        (TRANSFER, {"transfer_amount": "$1360"}, [*IN_DOUBT, "A: So $1,360 from your checking account?", "No"]),
        (TRANSFER, {"recipient_name": "checking"}, ["Please send $570 to a checking account."]),
        (TRANSFER, {"recipient_account_type": "Ibu Diana"}, ["Mau transfer Rp134.000 ke rekening giro Ibu Diana."]),
        (ALARM, {"alarm_time": "16:15"}, ["A: Mau pasang alarm baru?", "Boleh.", "A: Jam berapa?", "Sore jam 4.15."]),
        (STAY, {"category": "museum"}, ["Saya lagi malas ke museum"]),
    ],
)
def test_a_doubt_that_nobody_confirmed_and_the_other_field_are_missing(
    properties: dict[str, Any], arguments: dict[str, Any], lines: list[str]
) -> None:
    assert missing(properties, arguments, *lines) == set(arguments)
