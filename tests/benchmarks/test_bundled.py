"""The bundled data files: complete, right, in their language, and not among the seeds."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from tasks.benchmarks import BENCHMARKS, load_items, load_seeds
from tasks.languages import HELD_OUT, TRAINED, language
from tasks.text import identify_language, script_counts, similarity, words

NAMES = ("facts", "multihop", "numbers", "translation")
OURS = (*TRAINED, *HELD_OUT)
CELLS = [(name, code) for name in NAMES for code in OURS if BENCHMARKS[name].has(code)]
NATIVE = {"Japanese": ("Kana", "Han")}  # scripts of a language, where not the one of that name
GRAM = 6  # words


def texts_of(row: dict[str, object]) -> str:
    return "\n".join([str(row["question"]), *(row["context"] or ()), *(row["options"] or ())])


@pytest.mark.parametrize(("name", "code"), CELLS)
def test_every_language_has_enough_items_and_no_gold_is_refused(name: str, code: str) -> None:
    loaded = load_items(name, "bundled", code)
    assert loaded.refused == []
    assert loaded.items.num_rows >= 24
    assert len(set(loaded.items["item_id"].to_pylist())) == loaded.items.num_rows


@pytest.mark.parametrize("name", NAMES)
def test_languages_hold_the_same_items_in_the_same_order(name: str) -> None:
    ids = {
        tuple(load_items(name, "bundled", code).items["item_id"].to_pylist())
        for code in BENCHMARKS[name].languages
    }
    assert len(ids) == 1


@pytest.mark.parametrize(("name", "code"), CELLS)
def test_every_item_is_written_in_its_language(name: str, code: str) -> None:
    script = language(code).script
    for row in load_items(name, "bundled", code).items.to_pylist():
        text = texts_of(row)
        counts = script_counts(text)
        native = sum(counts[one] for one in NATIVE.get(script, (script,)))
        assert native >= 0.8 * sum(counts.values()), text
        assert identify_language(text) == code, text


@pytest.mark.parametrize("name", ["multihop", "numbers"])
def test_no_two_languages_have_the_same_question(name: str) -> None:
    questions = [
        question
        for code in BENCHMARKS[name].languages
        for question in load_items(name, "bundled", code).items["question"].to_pylist()
    ]
    assert len(set(questions)) == len(questions)


def test_right_options_are_spread_over_the_letters() -> None:
    rows = load_items("facts", "bundled", "en").items.to_pylist()
    spread = Counter(row["gold"][0] for row in rows)
    assert set(spread) == set("ABCD")
    assert max(spread.values()) <= 0.35 * len(rows)


@pytest.mark.parametrize("code", OURS)
def test_options_of_a_fact_are_four_different_ones(code: str) -> None:
    for row in load_items("facts", "bundled", code).items.to_pylist():
        assert len({option.casefold() for option in row["options"]}) == 4


@pytest.mark.parametrize("code", OURS)
def test_a_multihop_question_rests_on_two_paragraphs(code: str) -> None:
    for row in load_items("multihop", "bundled", code).items.to_pylist():
        assert len(set(row["context"])) == 2
        assert all(row["gold"])


def test_translations_name_no_source_language_and_are_not_parallel() -> None:
    rows = load_items("translation", "bundled", "de").items.to_pylist()
    assert {(row["source_language"], row["parallel"]) for row in rows} == {(None, False)}
    assert not BENCHMARKS["translation"].has("en")


@pytest.mark.parametrize(("name", "code"), CELLS)
def test_examples_are_the_same_three_items_and_never_asked(name: str, code: str) -> None:
    examples = [one.item_id for one in BENCHMARKS[name].examples(code)]
    assert examples == [one.item_id for one in BENCHMARKS[name].examples("fr")]
    assert len(examples) == 3
    assert not set(examples) & set(load_items(name, "bundled", code).items["item_id"].to_pylist())


def english_texts() -> list[str]:
    asked = [
        texts_of(row)
        for name in ("facts", "multihop", "numbers")
        for row in load_items(name, "bundled", "en").items.to_pylist()
    ]
    translated = load_items("translation", "bundled", "fr").items["gold"].to_pylist()
    return asked + [gold[0] for gold in translated]


def word_grams(text: str) -> set[tuple[str, ...]]:
    listed = words(text, "en")
    return {tuple(listed[at : at + GRAM]) for at in range(len(listed) - GRAM + 1)}


def test_no_evaluation_item_is_among_the_seeds() -> None:
    seeds = [f"{row['question']} {row['answer']}" for row in load_seeds().to_pylist()]
    grams = set().union(*map(word_grams, seeds))
    for text in english_texts():
        assert not word_grams(text) & grams, text
        assert max(similarity(text, seed) for seed in seeds) < 0.6, text


def test_no_two_items_of_a_benchmark_are_alike() -> None:
    for name in ("facts", "multihop", "numbers"):
        questions = load_items(name, "bundled", "en").items["question"].to_pylist()
        assert max(similarity(a, b) for a, b in combinations(questions, 2)) < 0.8
