"""What the page says of the rewards' validity."""

from __future__ import annotations

from tasks.reporting.page import render
from tasks.reporting.validity import validity_rows, validity_said
from tests.reporting.invented import invented, report_of, score_row


def test_one_sentence_per_reward_says_whether_it_means_anything() -> None:
    assert validity_said(invented().validity) == [
        "LAI: it goes with what the student lacks.",
        "LSI: the reward is uninformative for this student.",
    ]


def test_every_cut_is_a_row_with_its_interval_and_what_was_not_measured() -> None:
    found = validity_rows(invented().validity)
    assert [(row.reward, row.questions) for row in found] == [
        ("LAI", "all"), ("LAI", "facts"), ("LSI", "all"), ("LSI", "Arabic"),
    ]  # fmt: skip
    assert (found[0].value, found[0].limits) == ("0.620", "[0.550, 0.690]")
    assert found[0].count == "410 of 70 items, 10 more not measured"
    assert (found[3].value, found[3].limits) == ("–", "")


def test_the_page_has_the_section_only_where_there_is_a_table() -> None:
    said = "the reward is uninformative for this student"
    assert said in render(invented(), [])
    without = report_of([score_row()])
    assert "Do the rewards mean anything" not in render(without, [])
    assert validity_said(None) == validity_rows(None) == []
