"""The DAG as data: what is shared, what stands on what, where it runs."""

from __future__ import annotations

from typing import Any

import pytest

from flows.pipeline import Node, pipeline, sharing_saved
from tasks.errors import BadInput
from tasks.read_recipe import read_recipe


def nodes(recipe: str = "methods", **changes: Any) -> dict[str, Node]:
    found = pipeline(read_recipe(recipe, changes))
    assert len({node.label for node in found}) == len(found)
    return {node.label: node for node in found}


def test_every_node_stands_behind_what_it_needs() -> None:
    for recipe in ("methods", "smoke", "quickstart", "simulated-models"):
        seen: set[str] = set()
        for label, node in nodes(recipe).items():
            assert set(node.needs) <= seen, label
            seen.add(label)


def test_methods_share_the_rows_that_both_take() -> None:
    found = nodes(methods=["base", "selection-gt", "selection-gen"])
    questions = [label for label in found if label.startswith("generate-questions")]
    assert questions == ["generate-questions-seeds"]
    assert {"label-questions-seeds", "label-questions-seeds-own"} <= set(found)


def test_students_share_what_no_student_shapes() -> None:
    two = [{"name": "a", "model": "bundled:tiny-random"},
           {"name": "b", "model": "bundled:gemma-3-270m"}]  # fmt: skip
    changes = {"student": "", "students": two, "teacher": "bundled:gemma-3-270m",
               "methods": ["base", "selection-gen", "distillation", "hotfixr"]}  # fmt: skip
    found = nodes(**changes)
    for shared in ("generate-questions-seeds", "label-questions-seeds", "label-questions-teacher"):
        assert shared in found
    for own in ("train-generator-a.hotfixr", "train-generator-b.hotfixr", "evaluate-b.base"):
        assert own in found
    # Questions and labels of selection and distillation: two steps each, once instead of twice.
    assert sharing_saved(read_recipe("methods", changes)) == 4
    alone = nodes(**changes | {"teacher": ""})
    assert {"label-questions-a.seeds", "label-questions-b.seeds"} <= set(alone)


def test_a_later_round_trains_against_and_from_the_student_before() -> None:
    found = nodes(methods=["base", "hotfixr"], rounds=2)
    before = "train-student-r1"
    assert before in found["train-generator-r2"].needs
    assert before in found["train-student-r2"].needs
    assert before not in found["train-generator-r1"].needs


def test_only_what_holds_weights_needs_a_device() -> None:
    real = {"machine": {"engine": "vllm", "dtype": "bfloat16", "device": "cuda"}}
    found = nodes(methods=["base", "selection-gt", "hotfixr"], **real)
    assert found["generate-questions-seeds"].pool == "cpu"
    assert found["label-questions-seeds-own"].pool == "cpu"
    for label in ("train-generator-hotfixr", "generate-questions-hotfixr", "evaluate-base",
                  "label-questions-hotfixr", "train-student-selection-gt"):  # fmt: skip
        assert found[label].pool == "gpu", label


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"methods": ["hotfixr"]}, "methods must hold 'base'"),
        ({"methods": ["base", "hotfix"]}, "'hotfix' is not known"),
        ({"methods": ["base", "mcot"]}, "mcot needs rows"),
        ({"student": ""}, "either one student or a list"),
        ({"students": [{"name": "a", "model": "bundled:tiny-random"}]}, "either one student"),
        ({"student": "", "students": [{"name": "a b", "model": "bundled:tiny-random"}]}, "name"),
        ({"student": "", "students": [{"name": "a", "model": "bundled:tiny-random"},
          {"name": "A", "model": "bundled:tiny-random"}]}, "the same name"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": 2, "student_training.output": "adapter"}, "output: merged"),
        ({"student": "simulated:base"}, "has no weights to train"),
    ],
)  # fmt: skip
def test_recipes_that_cannot_be_run_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_recipe("methods", changes)
