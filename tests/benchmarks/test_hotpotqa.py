"""Multilingual HotpotQA in its three published shapes, which share their ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tasks.artifacts.store import Store
from tasks.benchmarks import load_items, revision
from tasks.benchmarks.prompts import ask
from tasks.errors import BadInput
from tasks.grading import check_gold
from tests.benchmarks.written import parquet

PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "hotpotqa"
PARAGRAPHS = {
    "en": ["Mara Lind built the mill.", "The mill stands in Orsund."],
    "zh": ["玛拉·林德建造了磨坊。", "磨坊位于奥松。"],
    "ru": ["Мара Линд построила мельницу.", "Мельница стоит в Орсунне."],
    "ar": ["بنت مارا ليند الطاحونة.", "تقع الطاحونة في أورسوند."],
}
QUESTIONS = {"en": "Where is it?", "zh": "它在哪里？", "ru": "Где она?", "ar": "أين تقع؟"}
ANSWERS = {"en": "Orsund", "zh": "奥松", "ru": "Орсунн", "ar": "أورسوند"}


def scd_row(source_id: str, **changed: Any) -> dict[str, Any]:
    row = {
        "_id": source_id, "type": "bridge", "level": "hard", "query": QUESTIONS,
        "answer": ANSWERS, "evidence": PARAGRAPHS, "other related text": {"en": ["Other."]},
    }  # fmt: skip
    return row | changed


def scd(folder: Path, *rows: dict[str, Any]) -> str:
    file = folder / "hotpotqa_MultiLang_1000.json"
    file.write_text(json.dumps(rows, ensure_ascii=False, indent=2), encoding="utf-8")
    return folder.as_uri()


@pytest.mark.parametrize("code", QUESTIONS)
def test_a_row_has_every_language_and_its_evidence(tmp_path: Path, code: str) -> None:
    loaded = load_items("mhotpotqa", scd(tmp_path, scd_row("5a7"), scd_row("5b8")), code)
    first, second = loaded.items.to_pylist()
    assert loaded.refused == []
    assert (first["item_id"], second["item_id"]) == ("hotpotqa-5a7", "hotpotqa-5b8")
    assert (first["question"], first["gold"]) == (QUESTIONS[code], [ANSWERS[code]])
    assert first["context"] == PARAGRAPHS[code]
    assert (first["source_language"], first["flags"]) == ("en", [])
    [one, _] = ask("mhotpotqa", loaded.items, code, form="chat", few_shot=1, samples=1, seed=0)
    assert PARAGRAPHS[code][1] in (one.prompt.messages or ())[-1]["content"]


def test_evidence_that_was_cut_or_lost_in_translation_is_flagged(tmp_path: Path) -> None:
    cut = PARAGRAPHS | {"ru": ["Мара Линд построила мель", PARAGRAPHS["ru"][1]]}
    lost = PARAGRAPHS | {"ru": PARAGRAPHS["ru"][:1]}
    source = scd(tmp_path, scd_row("1", evidence=cut), scd_row("2", evidence=lost), scd_row("3"))
    flags = load_items("mhotpotqa", source, "ru").items["flags"].to_pylist()
    assert flags == [["evidence breaks off"], ["evidence is not all there"], []]
    assert load_items("mhotpotqa", source, "zh").items["flags"].to_pylist() == [[], [], []]


def test_a_translation_that_is_missing_refuses_the_item_there(tmp_path: Path) -> None:
    source = scd(tmp_path, scd_row("1", answer=ANSWERS | {"ar": None}))
    assert load_items("mhotpotqa", source, "ar").refused == [
        ("hotpotqa-1", "there is no gold answer")
    ]
    assert load_items("mhotpotqa", source, "en").items.num_rows == 1


def distractor_row(source_id: str) -> dict[str, Any]:
    return {
        "id": source_id,
        "question": QUESTIONS["en"],
        "answer": ANSWERS["en"],
        "type": "bridge",
        "level": "hard",
        "supporting_facts": {"title": ["Mill", "Lind"], "sent_id": [0, 0]},
        "context": {
            "title": ["Lind", "Barn", "Mill"],
            "sentences": [["Mara Lind built", " the mill."], ["A barn."], [PARAGRAPHS["en"][1]]],
        },
    }


def test_of_all_paragraphs_the_supporting_ones_are_shown(tmp_path: Path) -> None:
    (tmp_path / "distractor").mkdir()
    file = tmp_path / "distractor" / "validation-00000-of-00001.parquet"
    file.write_bytes(parquet([distractor_row("5a7")]))
    [row] = load_items("mhotpotqa", tmp_path.as_uri(), "en").items.to_pylist()
    assert row["item_id"] == "hotpotqa-5a7"
    assert row["context"] == PARAGRAPHS["en"]


def cross_row(source_id: str, code: str, **changed: Any) -> dict[str, Any]:
    """A row of XHotpotQA: the paragraphs are in other languages than the question."""
    candidates = [
        {
            "paragraph_id": f"p{at:02d}", "candidate_index": at, "source_title": f"Title {at}",
            "source_sentences": [english], "title": f"Title {at}", "sentences": [other],
            "language": language, "language_name": language, "source_match": True,
        }
        for at, (english, other, language) in enumerate(
            [
                (PARAGRAPHS["en"][0], PARAGRAPHS["ru"][0], "ru"),
                ("A barn.", "谷仓。", "zh"),
                (PARAGRAPHS["en"][1], PARAGRAPHS["zh"][1], "zh"),
            ]
        )
    ]  # fmt: skip
    facts = [
        {"paragraph_id": f"p{at:02d}", "sentence_id": 0, "source_title": "T", "in_bounds": True}
        for at in (0, 2)
    ]
    row = {
        "id": f"xhp-validation-{source_id}", "source_id": source_id, "question": QUESTIONS[code],
        "answer": ANSWERS[code], "question_language": code, "answer_language": code,
        "source_question": QUESTIONS["en"], "source_answer": ANSWERS["en"],
        "candidates": candidates, "supporting_facts": facts, "status": "accepted",
        "structural_flags": [], "quality_flags": [],
    }  # fmt: skip
    return row | changed


def cross(folder: Path, *rows: dict[str, Any]) -> str:
    (folder / "data").mkdir()
    flags = pa.list_(pa.string())
    inferred = pa.Table.from_pylist(list(rows)).schema
    fields = [f.with_type(flags) if f.name.endswith("_flags") else f for f in inferred]
    file = folder / "data" / "validation-00000-of-00001.parquet"
    file.write_bytes(parquet(rows, pa.schema(fields)))
    return folder.as_uri()


def test_each_question_is_there_in_its_language_and_in_english(tmp_path: Path) -> None:
    source = cross(tmp_path, cross_row("5a7", "ru"), cross_row("5b8", "zh"))
    [russian] = load_items("mhotpotqa", source, "ru").items.to_pylist()
    assert russian["item_id"] == "hotpotqa-5a7"
    assert russian["context"] == [PARAGRAPHS["ru"][0], PARAGRAPHS["zh"][1]]
    english = load_items("mhotpotqa", source, "en").items.to_pylist()
    assert [row["item_id"] for row in english] == ["hotpotqa-5a7", "hotpotqa-5b8"]
    assert [row["context"] for row in english] == [PARAGRAPHS["en"]] * 2
    assert {row["question"] for row in english} == {QUESTIONS["en"]}


def test_what_the_publisher_flags_is_flagged_and_what_is_quarantined_refused(
    tmp_path: Path,
) -> None:
    source = cross(
        tmp_path,
        cross_row("1", "ru", quality_flags=["xhotpot:answer_source_copy", "provenance:none"]),
        cross_row("2", "ru", status="quarantined", structural_flags=["source:blank"]),
    )
    loaded = load_items("mhotpotqa", source, "ru")
    assert loaded.items["flags"].to_pylist() == [["xhotpot:answer_source_copy"]]
    assert loaded.refused == [("hotpotqa-2", "quarantined by its publisher")]
    english = load_items("mhotpotqa", source, "en").items["flags"].to_pylist()
    assert english == [[], ["source:blank"]]  # the original has no faults of translation


def test_rows_of_no_known_shape_are_named(tmp_path: Path) -> None:
    source = scd(tmp_path, {"prompt": "?"})
    with pytest.raises(BadInput, match=r"row 1, is of no known shape \(it has prompt\)"):
        load_items("mhotpotqa", source, "en")


def test_a_bucket_reads_like_a_folder(store: Store, tmp_path: Path) -> None:
    local = scd(tmp_path, scd_row("5a7"))
    name = "hotpotqa_MultiLang_1000.json"
    store.put(f"scd/{name}", (tmp_path / name).read_bytes())
    there = f"{store.uri}/scd"
    assert revision("mhotpotqa", there) == revision("mhotpotqa", local)
    assert load_items("mhotpotqa", there, "zh").items.equals(
        load_items("mhotpotqa", local, "zh").items
    )


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published file is not on this machine")
def test_every_published_answer_passes_its_grader() -> None:
    rows = json.loads((PUBLISHED / "hotpot_dev_v1_simplified.json").read_text())
    assert [row["answer"] for row in rows if check_gold("span", "en", row["answer"])] == []
