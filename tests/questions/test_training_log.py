from __future__ import annotations

import pytest

from tasks.artifacts.schemas import ROLLOUTS, TRAINING_LOG
from tasks.questions.rewards import Rollout
from tasks.questions.settings import RewardWeights
from tasks.questions.training_log import (
    Logged,
    distinct_shares,
    log_table,
    rollout_table,
    step_metrics,
)

TRIPLE = "<question>{}</question><reasoning>r</reasoning><answer>a</answer>"


def row(
    language: str = "fr",
    form: float = 1.0,
    lai: float | None = 0.5,
    lsi: float | None = 0.2,
    null: float | None = None,
    reason: str | None = None,
) -> Rollout:
    return Rollout(1, "s", language, TRIPLE.format("Q"), form, lai, lsi, null, reason)


def logged(rows: list[Rollout], group: int = 2) -> dict[tuple[str, str | None], float]:
    found = step_metrics(rows, group, RewardWeights())
    return {(one.metric, one.language): one.value for one in found}


def test_means_are_over_what_was_measured_and_per_language() -> None:
    rows = [
        row(lai=0.4, lsi=0.2, null=0.1),
        row(lai=0.0, lsi=0.0, reason="refused"),
        row("ar", lai=0.6, lsi=0.4),
        row("ar", lai=0.9, lsi=None, reason="no LSI"),
    ]
    found = logged(rows)
    assert found["lai", None] == pytest.approx(0.5)
    assert found["lai", "ar"] == pytest.approx(0.6)
    assert found["lsi_null", "fr"] == pytest.approx(0.1)
    assert found["lsi_excess", None] == pytest.approx(0.1)
    assert found["measured", None] == 0.5
    assert ("lsi_null", "ar") not in found


def test_variance_shares_add_up_and_follow_what_varies_within_groups() -> None:
    # Between the groups LAI differs most; within them only LSI does.
    rows = [
        row(lai=0.1, lsi=0.1),
        row(lai=0.1, lsi=0.3),
        row(lai=0.9, lsi=0.0),
        row(lai=0.9, lsi=0.8),
    ]
    found = logged(rows)
    assert found["variance_share_lsi", None] == pytest.approx(1.0)
    assert found["variance_share_lai", None] == pytest.approx(0.0)
    mixed = logged([row(form=0.5, lai=0.0, lsi=0.0), row()])
    shares = [mixed[f"variance_share_{name}", None] for name in ("format", "lai", "lsi")]
    assert sum(shares) == pytest.approx(1.0)
    assert shares == pytest.approx([0.5 / 1.2, 0.5 / 1.2, 0.2 / 1.2])


def test_groups_without_a_gradient_are_counted() -> None:
    unmeasured = row(lsi=None, reason="no LSI")
    rows = [row(), row(), row(), row(lai=0.6), unmeasured, unmeasured, unmeasured, row()]
    assert logged(rows)["equal_groups", None] == 3


def test_no_variance_gives_no_shares() -> None:
    assert ("variance_share_lai", None) not in logged([row(), row()])


@pytest.mark.parametrize(
    ("questions", "share"),
    [
        (["Which colour is the sky?"] * 4, 0.25),
        (["What is a whale?", "Who wrote Faust?", "How old is Rome?", "Why does ice float?"], 1.0),
        (["What is a whale?"], None),
    ],
)
def test_the_share_of_distinct_questions_is_of_a_full_window(
    questions: list[str], share: float | None
) -> None:
    rows = [row()._replace(completion=TRIPLE.format(question)) for question in questions]
    found = distinct_shares([*rows, row()._replace(completion="malformed")], 4)
    assert found == ({} if share is None else {None: share, "fr": share})


def test_languages_are_told_apart_where_only_one_repeats_itself() -> None:
    texts = {"fr": "Combien font sept et huit ?", "ar": "ما لون السماء في النهار الصافي؟"}
    rows = [
        row(code)._replace(completion=TRIPLE.format(question))
        for code, question in [*texts.items(), ("fr", texts["fr"]), ("it", "Chi ha scritto Faust?")]
    ]
    assert distinct_shares(rows, 4) == {None: 0.75, "ar": 1.0, "fr": 0.5, "it": 1.0}
    rates = {key: value for key, value in logged(rows).items() if key[0] == "language"}
    assert rates["language", "fr"] == rates["language", "ar"] == 1.0
    english = row("ar")._replace(completion=TRIPLE.format("How many legs have three black dogs?"))
    assert logged([english, row("ar", form=0.5)._replace(completion="?")])["language", "ar"] == 0.0


def test_tables_have_their_schemas_even_when_empty() -> None:
    assert log_table([Logged(1, "loss", None, 0.5)]).schema == TRAINING_LOG
    assert rollout_table([row()]).schema == rollout_table([]).schema == ROLLOUTS
