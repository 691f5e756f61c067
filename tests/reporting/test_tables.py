from __future__ import annotations

from typing import Any

import pytest

from tasks.reporting.samples import funnel, question_samples, reasons
from tasks.reporting.scores import Scores, read_scores
from tasks.reporting.tables import coverage_flags, headline, noted, spread
from tests.reporting.invented import invented, questions, report_of, score_row


def scores_of(*rows: dict[str, Any]) -> Scores:
    return read_scores(report_of(list(rows)).scores)


def test_the_headline_holds_means_and_differences() -> None:
    [(benchmark, [row])] = headline(
        scores_of(
            score_row(metric="hat", value=0.6),
            score_row(metric="hat", target="mean", value=0.6, n_targets=1),
            score_row(model="student", metric="hat", target="mean", value=0.7, n_targets=1),
            score_row(
                model="student", baseline="base", metric="hat", target="mean",
                value=0.1, low=0.05, high=0.15,
            ),
        )
    )  # fmt: skip
    assert (benchmark, row.title, row.targets, row.samples) == ("facts", "HAT", "1 of 1", "10")
    assert [s.shown for s in row.values if s] == ["0.600", "0.700"]
    assert [(s.shown, s.against_zero) for s in row.differences if s] == [
        ("+0.100", "excludes 0: higher")
    ]


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.1, 0.2, "excludes 0: higher"),
        (-0.2, -0.1, "excludes 0: lower"),
        (-0.1, 0.1, "includes 0"),
        (0.0, 0.1, "includes 0"),
        (None, None, "no interval"),
    ],
)
def test_an_interval_lies_on_a_side_of_zero_or_holds_it(
    low: float | None, high: float | None, said: str
) -> None:
    [row] = scores_of(score_row(baseline="base", value=0.0, low=low, high=high)).rows
    assert row.against_zero == said


def test_baselines_come_first() -> None:
    scores = scores_of(
        score_row(model="a"), score_row(model="b"), score_row(model="a", baseline="b")
    )
    assert scores.models == ["b", "a"]


@pytest.mark.parametrize(
    ("target", "source", "why"),
    [
        (0.99, 0.99, None),
        (0.94, 0.95, "below 95 %"),
        (0.96, 0.99, "3.0 points from the source"),
        (0.99, 0.96, "3.0 points from the source"),
        (0.90, 0.99, "below 95 %; 9.0 points from the source"),
    ],
)
def test_low_and_unequal_coverage_is_flagged(target: float, source: float, why: str | None) -> None:
    scores = scores_of(
        score_row(metric="target_accuracy", coverage=target),
        score_row(metric="source_accuracy", coverage=source),
    )
    assert [flag.why for flag in coverage_flags(scores, ())] == ([why] if why else [])


def test_languages_that_share_a_note_are_listed_together() -> None:
    [row] = noted(scores_of(score_row(target="de", note="n"), score_row(target="ja", note="n")))
    assert row.languages == "German, Japanese"


def test_spread_stands_beside_its_noise_floor() -> None:
    [row] = spread(
        scores_of(
            score_row(target="mean", metric="range", value=0.2),
            score_row(target="mean", metric="range_noise_floor", value=0.1),
        )
    )
    assert [(a.value, b.value) for a, b in row.cells if a and b] == [(0.2, 0.1)]


def test_the_funnel_counts_every_stage() -> None:
    rows = funnel(invented())
    total = rows[-1].counts
    assert rows[-1].language == "All" and total[0] == 210
    assert total == [sum(row.counts[i] or 0 for row in rows[:-1]) for i in range(5)]


def test_without_labels_their_stages_are_unknown() -> None:
    asked = [{"language": "fr", "parsed": True, "kept": True}]
    report = report_of([], questions=questions(asked))
    assert funnel(report)[-1].counts == [1, 1, 1, None, None]


def test_rare_reasons_are_added_up() -> None:
    asked = [
        {"language": "fr", "parsed": True, "kept": False, "reason": f"r{i}"} for i in range(40)
    ]
    found = reasons(report_of([], questions=questions(asked)))
    assert (found[-1].reason, found[-1].total, len(found)) == ("other reasons", 25, 16)


def test_samples_come_from_every_language_in_turn() -> None:
    asked = [
        {"language": code, "parsed": True, "kept": True, "question": code, "answer": "1"}
        for code in ["fr"] * 20 + ["es"] * 20
    ]
    found = question_samples(questions(asked), kept=True)
    assert [sample.language for sample in found] == ["fr", "es"] * 4
