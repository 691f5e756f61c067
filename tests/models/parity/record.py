"""Have lm-evaluation-harness answer and grade bundled items, and keep what it wrote.

python tests/models/parity/record.py MODEL_FOLDER

Needs lm_eval 0.4.13 beside this package. Its hf backend answers greedily and in float32, with a
beginning-of-sequence token; the tasks are our prompts in a local file, graded by
the tool's own filters for such answers. Writes answers.jsonl beside this file.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml
from lm_eval import simple_evaluate
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager

from tasks.benchmarks import benchmark_named, load_items
from tasks.benchmarks.layout import shown_letter
from tasks.benchmarks.prompts import ask, stops
from tasks.languages import LANGUAGES

ITEMS, SHOTS, SEED, MAX_TOKENS = 20, 3, 0, 16
BENCHMARKS = ("facts", "numbers", "sums", "multihop")
CODES = ("en", "fr", "es", "ar", "pt", "it", "de", "ja", "ru", "zh")
ANSWERS = Path(__file__).with_name("answers.jsonl")
# By kind, as the tool's own tasks do it: the last number of GSM8K's flexible-extract, a letter that
# stands alone, and whole texts compared without case and punctuation.
FILTERS: dict[str, dict[str, Any]] = {
    "number": {"regex_pattern": r"(-?[$0-9.,]{2,})|(-?[0-9]+)", "group_select": -1},
    "choice": {"regex_pattern": r"\b([A-D])\b", "group_select": 0},
    "span": {"regex_pattern": r"(?s)^\s*(.*?)\s*$", "group_select": 0},
}
COMPARED: dict[str, dict[str, Any]] = {
    "number": {"regexes_to_ignore": [",", r"\$", r"\.$"]},
    "choice": {},
    "span": {"ignore_case": True, "ignore_punctuation": True},
}


class Recording(HFLM):
    """The tool's own backend, which also keeps the tokens that it reads and writes."""

    seen: dict[str, tuple[list[int], list[int]]]

    def _model_generate(self, context: Any, **settings: Any) -> Any:
        out = super()._model_generate(context, **settings)
        for ids, mask, row in zip(context, settings["attention_mask"], out, strict=True):
            before = ids[mask.bool()].tolist()  # without the padding
            text = self.tokenizer.decode(before, skip_special_tokens=True)
            self.seen[text] = (before, row[len(ids) :].tolist())
        return out


def documents(benchmark: str, language: str) -> Iterator[dict[str, Any]]:
    """What the tool is asked, with what is needed to grade it again."""
    items = load_items(benchmark, "bundled", language, ITEMS).items
    asked = ask(benchmark, items, language, form="completion", few_shot=SHOTS, samples=1, seed=SEED)
    for item, one in zip(items.to_pylist(), asked, strict=True):
        gold = item["gold"][0]
        yield {
            "benchmark": benchmark,
            "item_id": one.item_id,
            "language": language,
            "kind": benchmark_named(benchmark).kind,
            "gold": gold if one.order is None else shown_letter(gold, one.order),
            "options": one.order and [item["options"][at] for at in one.order],
            "prompt": one.prompt.text,
        }


def task(folder: Path, name: str, benchmark: str) -> dict[str, Any]:
    """A task of the tool over a local file."""
    kind = benchmark_named(benchmark).kind
    return {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(folder / f"{name}.jsonl")}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{prompt}}",
        "doc_to_target": "{{gold}}",
        "generation_kwargs": {
            "until": list(stops("completion")),
            "max_gen_toks": MAX_TOKENS,
            "do_sample": False,
        },
        "filter_list": [
            {
                "name": "extract",
                "filter": [
                    {"function": "regex", **FILTERS[kind]},
                    {"function": "take_first"},
                ],
            }
        ],
        "metric_list": [
            {
                "metric": "exact_match",
                "aggregation": "mean",
                "higher_is_better": True,
                **COMPARED[kind],
            }
        ],
    }


def rows(model: Recording, folder: Path) -> Iterator[dict[str, Any]]:
    """Every document with its answer, its tokens and the tool's verdict."""
    names = []
    for benchmark in BENCHMARKS:
        for language in CODES:
            names.append(f"{benchmark}_{language}")
            written = "".join(json.dumps(row) + "\n" for row in documents(benchmark, language))
            (folder / f"{names[-1]}.jsonl").write_text(written)
            settings = yaml.safe_dump(task(folder, names[-1], benchmark))
            (folder / f"{names[-1]}.yaml").write_text(settings)
    found = simple_evaluate(
        model,
        tasks=names,
        task_manager=TaskManager(include_path=str(folder), include_defaults=False),
        log_samples=True,
    )
    for name in names:
        for sample in sorted(found["samples"][name], key=lambda one: one["doc_id"]):
            document = sample["doc"]
            prompt = document.pop("prompt")
            before, after = model.seen[prompt]
            [[text]], [extracted] = sample["resps"], sample["filtered_resps"]
            yield {
                **{key: value for key, value in document.items() if value is not None},
                "text": text,
                "prompt_tokens": len(before),
                "prompt_digest": sha256(json.dumps(before).encode()).hexdigest()[:16],
                "tokens": after,
                "extracted": extracted,
                "right": bool(sample["exact_match"]),
            }


def main() -> None:
    assert set(CODES) <= set(LANGUAGES)
    model = Recording(
        pretrained=sys.argv[1], dtype="float32", batch_size=16, add_bos_token=True, device="cpu"
    )
    model.seen = {}
    with tempfile.TemporaryDirectory() as folder:
        written = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows(model, Path(folder))]
    ANSWERS.write_text("".join(written))


if __name__ == "__main__":
    main()
