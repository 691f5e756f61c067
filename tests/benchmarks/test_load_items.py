"""The table of benchmarks, and what loading refuses."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tasks.artifacts.schemas import ITEMS
from tasks.benchmarks import BENCHMARKS, load_items, revision
from tasks.errors import BadInput
from tasks.languages import LANGUAGES

BUNDLED = ("facts", "multihop", "numbers", "translation", "sums")
OWN_SOURCES = ("eclektic",)  # each of its items names its own


@pytest.mark.parametrize("name", BUNDLED)
def test_items_have_the_columns_of_the_schema(name: str) -> None:
    assert load_items(name, "bundled", "fr", 3).items.schema == ITEMS


@pytest.mark.parametrize("name", BUNDLED)
def test_the_first_items_are_the_beginning_of_all(name: str) -> None:
    everything = load_items(name, "bundled", "de").items
    assert load_items(name, "bundled", "de", 5).items.equals(everything.slice(0, 5))


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_row_names_known_languages_and_can_instruct_in_them(name: str) -> None:
    benchmark = BENCHMARKS[name]
    for code in benchmark.languages:
        assert LANGUAGES[code].instructions[benchmark.kind]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_source_language_is_one_of_the_benchmarks_own(name: str) -> None:
    benchmark = BENCHMARKS[name]
    given = benchmark.source_language is not None or name in OWN_SOURCES
    assert benchmark.parallel == given
    assert benchmark.source_language is None or benchmark.has(benchmark.source_language)


def test_a_language_without_items_lists_those_that_have_some() -> None:
    with pytest.raises(BadInput, match=r"no items in 'en'; it has fr, es, ar"):
        load_items("translation", "bundled", "en")


def test_an_unknown_benchmark_lists_the_known_ones() -> None:
    with pytest.raises(BadInput, match="'quiz' is no benchmark; known are facts, multihop"):
        load_items("quiz", "bundled", "en")


def test_a_benchmark_without_prompts_says_so() -> None:
    with pytest.raises(BadInput, match=r"'nemotron-chat' cannot be used: .* have no prompts here"):
        load_items("nemotron-chat", "file:///somewhere", "en")


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_benchmark_is_read_from_nowhere_else(name: str) -> None:
    with pytest.raises(BadInput, match="comes with the package"):
        load_items(name, "file:///elsewhere", "fr")


def test_revisions_are_digests_and_differ() -> None:
    revisions = {revision(name, "bundled") for name in BUNDLED}
    assert len(revisions) == len(BUNDLED)
    assert {len(one) for one in revisions} == {64}


def test_neither_torch_nor_prefect_is_imported() -> None:
    code = (
        "import sys, tasks.benchmarks.prompts, tasks.benchmarks.grade_answers;"
        "sys.exit(bool({'torch', 'transformers', 'prefect'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
