"""Every source of questions through its step, and the labels that belong to it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

from tasks.artifacts.parts import publish_table, read_table
from tasks.artifacts.records import Part
from tasks.artifacts.schemas import LABELS, QUESTIONS, SEEDS
from tasks.artifacts.store import Store
from tasks.benchmarks import load_seeds
from tasks.compute.step import Silent, Work, complete
from tasks.errors import BadInput
from tasks.generate_questions import NEEDED, GenerateQuestions, generation_seeds
from tasks.label_questions import LabelQuestions
from tasks.methods import METHODS
from tasks.models.machine import EngineSettings
from tasks.questions.generation import QuestionGeneration
from tasks.questions.labels import Labelling
from tasks.questions.published_rows import rows_revision
from tasks.questions.settings import StudentScoring
from tasks.steps import STEPS

WANTED = QuestionGeneration(form="completion", keep=12, max_attempts=60)
ASKED = Labelling(form="completion", samples=4)


def played(profile: str) -> EngineSettings:
    return EngineSettings(engine="simulated", dtype="float32", device="cpu", profile=profile)


def published(store: Store, table: pa.Table, step: str = "prepare-data") -> Part:
    return publish_table(store, step, "table", "digest", table, {})


def generated(store: Store, **given: Any) -> Part:
    """The part of questions of one source."""
    seeds = published(store, given.pop("seeds", load_seeds()))
    spec = GenerateQuestions(
        **{"writer": None, "engine": None, "settings": WANTED, "seeds": seeds} | given
    )
    work = Work(store, STEPS["generate-questions"], Silent())
    return complete(work, spec).parts["questions"]


def labelled(store: Store, questions: Part, labels: str) -> list[dict[str, Any]]:
    engine = played("teacher") if labels == "teacher" else None
    spec = LabelQuestions(
        labels=labels, teacher=None, questions=questions, engine=engine, settings=ASKED
    )
    done = complete(Work(store, STEPS["label-questions"], Silent()), spec)
    table = read_table(store, done.parts["labels"])
    assert table.schema == LABELS
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def rows_of(store: Store, part: Part) -> list[dict[str, Any]]:
    table = read_table(store, part)
    assert table.schema == QUESTIONS
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def kept(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["kept"]]


def test_every_source_of_a_method_says_what_it_needs() -> None:
    assert {method.questions for method in METHODS.values() if method.trains} == set(NEEDED)


@pytest.mark.parametrize("source", [source for source, needed in NEEDED.items() if needed])
def test_a_source_without_what_it_needs_is_refused(file_store: Store, source: str) -> None:
    with pytest.raises(ValidationError, match=f"questions from '{source}' need "):
        generated(file_store, source=source)


@pytest.mark.parametrize("source", ["generator", "untrained", "teacher"])
def test_written_questions_are_labelled_by_the_teacher(file_store: Store, source: str) -> None:
    part = generated(file_store, source=source, engine=played("writer"))
    rows = rows_of(file_store, part)
    assert Counter(row["language"] for row in kept(rows)) == dict.fromkeys(WANTED.languages, 2)
    assert (part.facts["source"], part.facts["engine"]) == (source, "simulated")
    labels = labelled(file_store, part, "teacher")
    assert {row["agreement"] for row in labels} == {1.0}


def test_selected_rows_are_seeds_that_trained_no_generator(file_store: Store) -> None:
    part = generated(file_store, source="seeds")
    rows = rows_of(file_store, part)
    unused = {row["seed_id"]: row for row in generation_seeds(load_seeds()).to_pylist()}
    assert len(kept(rows)) == WANTED.keep == part.facts["kept"]
    for row in rows:
        assert {name: row[name] for name in SEEDS.names} == unused[row["seed_id"]]
        assert (row["language"], row["text"]) == ("en", None)


def test_another_seed_selects_other_rows(file_store: Store) -> None:
    other = WANTED.model_copy(update={"seed": 1})
    one, two = (
        {row["seed_id"] for row in rows_of(file_store, generated(file_store, **given))}
        for given in ({"source": "seeds"}, {"source": "seeds", "settings": other})
    )
    assert one != two


def test_rows_that_read_as_another_language_or_are_too_long_are_refused(file_store: Store) -> None:
    seeds = load_seeds().to_pylist()
    seeds[1]["question"] = "Wie viele Seiten hat ein Vieleck mit der Winkelsumme von 720 Grad?"
    seeds[3]["question"] = "How many words are in this question? " * 100
    every = WANTED.model_copy(update={"keep": 100, "max_attempts": 100})
    table = pa.Table.from_pylist(seeds, SEEDS)
    rows = rows_of(file_store, generated(file_store, source="seeds", seeds=table, settings=every))
    assert {row["seed_id"]: row["reason"] for row in rows if not row["kept"]} == {
        seeds[1]["seed_id"]: "in de, not en",
        seeds[3]["seed_id"]: "question too long",
    }
    assert len(rows) == len(seeds) // 2


def test_selected_rows_keep_their_own_answers_or_get_the_teachers(file_store: Store) -> None:
    part = generated(file_store, source="seeds")
    rows = kept(rows_of(file_store, part))
    own = labelled(file_store, part, "own")
    assert [(row["reasoning"], row["answer"]) for row in own] == [
        (row["reasoning"], row["answer"]) for row in rows
    ]
    assert {(row["agreement"], row["kept"], row["reason"]) for row in own} == {(None, True, None)}
    taught = labelled(file_store, part, "teacher")
    assert [row["question_id"] for row in taught] == [row["question_id"] for row in own]
    assert {row["agreement"] for row in taught} == {1.0}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"reasoning": " "}, "the question came without reasoning or answer"),
        ({"answer": None}, "the question came without reasoning or answer"),
        (
            {"reasoning": "On additionne les deux nombres et on obtient le résultat demandé."},
            "reasoned in fr, not en",
        ),
    ],
)
def test_own_labels_are_checked_like_a_teachers(
    file_store: Store, changed: dict[str, Any], reason: str
) -> None:
    row = {
        "question_id": "en-1", "language": "en", "domain": "math", "kept": True,
        "question": "What is the sum of two and three?", "reasoning": "Two and three are five.",
        "answer": "5",
    }  # fmt: skip
    table = pa.Table.from_pylist([row | changed], QUESTIONS)
    [label] = labelled(file_store, published(file_store, table, "generate-questions"), "own")
    assert (label["kept"], label["reason"]) == (False, reason)


def test_filtered_rows_keep_their_scores_and_their_own_answers(file_store: Store) -> None:
    part = generated(
        file_store,
        source="filtered",
        student_engine=played("base"),
        scoring=StudentScoring(form="completion"),
    )
    rows = rows_of(file_store, part)
    assert len(rows) == 24 and len(kept(rows)) == 12 == part.facts["kept"]
    assert all(row["lai"] is not None and row["lsi"] is not None for row in rows)
    assert [row["kept"] for row in labelled(file_store, part, "own")] == [True] * 12


def test_a_student_behind_an_endpoint_shows_no_hidden_states(file_store: Store) -> None:
    remote = played("lab/big").model_copy(update={"engine": "endpoint"})
    with pytest.raises(BadInput, match="lab/big is behind an endpoint"):
        generated(
            file_store,
            source="filtered",
            student_engine=remote,
            scoring=StudentScoring(form="completion"),
        )


@pytest.mark.parametrize("form", ["completion", "chat"])
def test_questions_on_mistakes_come_in_every_language_with_the_teachers_answers(
    file_store: Store, form: str
) -> None:
    settings = WANTED.model_copy(update={"form": form})
    part = generated(
        file_store,
        source="mistakes",
        engine=played("writer"),
        student_engine=played("slope-1-mean-0.5"),
        settings=settings,
    )
    rows = rows_of(file_store, part)
    assert Counter(row["language"] for row in kept(rows)) == dict.fromkeys(WANTED.languages, 2)
    assert part.facts["rows_answered"] == 24
    assert 0 < part.facts["mistakes"] < 24
    assert 0 < part.facts["student_f1"] < 1
    assert len({row["seed_id"] for row in rows}) <= part.facts["mistakes"]
    assert all(row["kept"] for row in labelled(file_store, part, "own"))


WORKED = [
    ("fr", "Un panier contient {n} pommes et on en ajoute deux. Combien y a-t-il de pommes ?",
     "Il y a {n} pommes et on en ajoute deux, ce qui fait {m}. La réponse est {m}."),
    ("es", "Una cesta tiene {n} manzanas y ponemos dos más. ¿Cuántas manzanas hay ahora?",
     "Hay {n} manzanas y ponemos dos más, así que son {m}. La respuesta es {m}."),
    ("de", "In einem Korb liegen {n} Äpfel und zwei kommen dazu. Wie viele Äpfel sind es?",
     "Es sind {n} Äpfel und zwei kommen dazu, das macht {m}. Die Antwort ist {m}."),
    ("sw", "Kikapu kina maembe {n} na tunaongeza mawili. Kuna maembe mangapi?",
     "Kuna maembe {n} na tunaongeza mawili, jumla {m}. Jibu ni {m}."),
]  # fmt: skip


def worked(column: str = "answer", each: int = 8) -> list[dict[str, Any]]:
    """Rows in two trained languages, a held-out one and one that is neither."""
    return [
        {"language": code, "question": question.format(n=n), column: text.format(n=n, m=n + 2)}
        for n in range(10, 10 + each)
        for code, question, text in WORKED
    ]


def written(folder: Path, rows: list[dict[str, Any]], name: str = "rows.jsonl") -> str:
    """The URI of a file with these rows."""
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(rows), folder / name)
    else:
        lines = (json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return f"file://{folder}/{name}"


def from_rows(store: Store, uri: str, **given: Any) -> Part:
    return generated(store, source="rows", rows=uri, rows_revision=rows_revision(uri), **given)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
@pytest.mark.parametrize("column", ["answer", "reasoning"])
def test_published_rows_become_labels_and_held_out_languages_are_counted(
    file_store: Store, tmp_path: Path, name: str, column: str
) -> None:
    part = from_rows(file_store, written(tmp_path, worked(column), name))
    rows = rows_of(file_store, part)
    assert len(kept(rows)) == WANTED.keep
    assert {row["language"] for row in rows} == {"fr", "es"}
    assert part.facts["left_out"] == {"de": 8, "sw": 8}
    assert part.facts["notes"] == [
        "16 rows in de, sw were left out: the set is not the published one"
    ]
    labels = labelled(file_store, part, "own")
    assert all(row["kept"] for row in labels)
    for row in labels:
        assert row["answer"] in row["reasoning"] and row["answer"] not in row["question"]


def test_a_result_of_its_own_is_taken_as_it_is(file_store: Store, tmp_path: Path) -> None:
    rows = [row | {"reasoning": row["answer"], "answer": "x = 7"} for row in worked()]
    part = from_rows(file_store, written(tmp_path, rows))
    assert {row["answer"] for row in rows_of(file_store, part)} == {"x = 7"}


def test_rows_without_a_result_or_in_another_language_than_they_say_are_refused(
    file_store: Store, tmp_path: Path
) -> None:
    [french, spanish, german, _] = worked(each=1)
    rows = [
        french,
        spanish | {"language": "fr"},
        german | {"language": "it"},
        french | {"answer": "On ne sait pas."},
        spanish | {"question": None},
    ]
    part = from_rows(file_store, written(tmp_path, rows))
    found = {row["seed_id"]: row["reason"] for row in rows_of(file_store, part)}
    assert found == {
        "row-0": None,
        "row-1": "in es, not fr",
        "row-2": "in de, not it",
        "row-3": "the solution states no number",
        "row-4": "without question or solution",
    }
    assert part.facts["left_out"] == {}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (worked()[2::4], r"has no row in en, fr, es, ar, pt, it \(its languages are de\)"),
        ([{"language": "fr", "question": "Pourquoi ?"}], "has no 'reasoning'"),
        ([{"code": "fr", "question": "Pourquoi ?"}], "has no 'language'"),
        ([{"language": "fr", "question": "", "answer": "7"}], "none of the 1 rows can be used"),
    ],
)
def test_a_file_of_no_use_is_an_error_that_says_why(
    file_store: Store, tmp_path: Path, rows: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        from_rows(file_store, written(tmp_path, rows))


@pytest.mark.parametrize("name", ["rows.csv", "none.jsonl"])
def test_only_files_that_are_there_and_can_be_read_have_a_revision(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(BadInput, match=r"ends in \.parquet or \.jsonl|there are no published rows"):
        rows_revision(f"file://{tmp_path}/{name}")


def test_no_recipe_can_ask_for_a_held_out_language(file_store: Store, tmp_path: Path) -> None:
    german = WANTED.model_copy(update={"languages": ("de",)})
    with pytest.raises(BadInput, match="'de' is not one that data is made in"):
        from_rows(file_store, written(tmp_path, worked()), settings=german)
