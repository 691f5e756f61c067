from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from tasks.questions.deficits import Asked, Deficit
from tasks.questions.rewards import Rewards
from tasks.questions.settings import RewardWeights

FRENCH = "Combien de côtés a un polygone dont la somme des angles vaut 720 degrés ?"
ENGLISH = "How many sides has a polygon whose angles add up to 720 degrees?"
MEASURED = Deficit(0.4, 0.3, 0.1, None)
NO_LSI = Deficit(0.4, None, 0.1, "the reasoning is not recognisably in fr")
NO_LAI = Deficit(None, 0.3, 0.1, "no token of the answer to measure")
Row = tuple[float | None, ...]


def written(question: str) -> str:
    return f"{question}</question>\n<reasoning>Voilà.</reasoning>\n<answer>6</answer>"


def rewarded(
    texts: Sequence[str],
    scored: Sequence[Deficit] | Exception = (),
    language: str = "fr",
    weights: RewardWeights | None = None,
    rewards: Rewards | None = None,
    step: int = 0,
) -> tuple[list[Row], Rewards]:
    """Rows of what the functions return, and the Rewards that they belong to."""

    def score(asked: Sequence[Asked], with_lsi: bool) -> list[Deficit]:
        if isinstance(scored, Exception):
            raise scored
        assert len(asked) == len(scored)
        return list(scored)

    rewards = rewards or Rewards(weights or RewardWeights(), "completion", score)
    columns: dict[str, Any] = {
        "trainer_state": SimpleNamespace(global_step=step),
        "language": [language] * len(texts),
        "question": ["A question about something else entirely?"] * len(texts),
        "seed_id": ["s"] * len(texts),
    }
    functions, _ = rewards.functions()
    values = [function(prompts=texts, completions=texts, **columns) for function in functions]
    return list(zip(*values, strict=True)), rewards


@pytest.mark.parametrize(
    ("deficit", "language", "row"),
    [
        pytest.param(MEASURED, "fr", (1.0, 0.4, 0.3), id="all measured"),
        pytest.param(NO_LSI, "fr", (None, None, None), id="LSI missing"),
        pytest.param(NO_LAI, "fr", (None, None, None), id="LAI missing"),
        pytest.param(Deficit(0.4, None, None, None), "en", (1.0, 0.4, None), id="English"),
        pytest.param(Deficit(None, None, None, "x"), "en", (None,) * 3, id="English, LAI missing"),
    ],
)
def test_where_one_component_is_missing_none_is_given(
    deficit: Deficit, language: str, row: Row
) -> None:
    question = ENGLISH if language == "en" else FRENCH
    [found], _ = rewarded([written(question)], [deficit], language)
    assert found == row


def test_a_component_of_weight_nothing_is_not_missed() -> None:
    weights = RewardWeights(lsi=0.0)
    [row], rewards = rewarded([written(FRENCH)], [NO_LSI], weights=weights)
    assert row == (1.0, 0.4)
    assert rewards.functions()[1] == [1.0, 1.0]


def test_with_the_format_alone_the_student_is_never_asked() -> None:
    failing = RuntimeError("must not be called")
    rows, _ = rewarded([written(FRENCH)], failing, weights=RewardWeights(lai=0.0, lsi=0.0))
    assert rows == [(1.0,)]


def test_kept_ranks_above_refused_above_malformed_above_empty() -> None:
    weak = Deficit(0.01, 0.0, None, None)
    texts = [written(FRENCH), written(ENGLISH), "Combien ?</question>\n<reasoning>Six.", ""]
    rows, _ = rewarded(texts, [weak])
    totals = [sum(value or 0.0 for value in row) for row in rows]
    assert totals == sorted(totals, reverse=True)
    assert len(set(totals)) == 4


def test_of_two_near_duplicates_the_second_is_refused() -> None:
    rows, rewards = rewarded([written(FRENCH), written(FRENCH)], [MEASURED])
    assert rows == [(1.0, 0.4, 0.3), (1.0, 0.0, 0.0)]
    assert rewards.take()[1].reason == "near-duplicate of another question"


def test_a_batch_is_measured_once_for_all_functions_and_kept() -> None:
    _, rewards = rewarded([written(FRENCH), ""], [MEASURED], step=4)
    kept = rewards.take()
    assert [(row.step, row.seed_id, row.language) for row in kept] == [(5, "s", "fr")] * 2
    assert rewards.take() == []
    assert kept[0].completion.startswith("<question>Combien")


def test_a_failed_scorer_gives_none_once_and_is_raised_the_second_time() -> None:
    rows, rewards = rewarded([written(FRENCH), ""], RuntimeError("out of luck\nand more"))
    assert rows == [(None, None, None), (0.0, 0.0, 0.0)]
    assert rewards.take()[0].reason == "scorer failed: out of luck"
    with pytest.raises(RuntimeError, match="out of luck"):
        rewarded([written(FRENCH)], rewards=rewards, step=1)


def test_a_conversation_is_scored_by_its_message() -> None:
    rewarded([], [])
    chat = Rewards(RewardWeights(lai=0.0, lsi=0.0), "chat", lambda asked, with_lsi: [])
    [function], _ = chat.functions()
    message = [{"role": "assistant", "content": f"<question>{written(FRENCH)}"}]
    values = function(
        prompts=[[]],
        completions=[message],
        trainer_state=SimpleNamespace(global_step=0),
        language=["fr"],
        question=[ENGLISH],
        seed_id=["s"],
    )
    assert values == [1.0]
