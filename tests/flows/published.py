"""The HAT paper's three benchmarks in their published shapes, with content of our own."""

from __future__ import annotations

from pathlib import Path

from tasks.benchmarks.eclektic import LANGUAGES as ECLEKTIC
from tasks.benchmarks.mgsm import LANGUAGES as MGSM
from tasks.benchmarks.mmlu_prox import LANGUAGES as MMLU_PROX
from tests.benchmarks.written import eclektic_row, jsonl, parquet, prox_row

OPTIONS = 10


def write_published(folder: Path, items: int) -> dict[str, str]:
    """Files of all three; what overrides the sources of the recipe hat-paper with them."""
    for name, write in (("eclektic", _eclektic), ("mgsm", _mgsm), ("prox", _prox)):
        (folder / name).mkdir(parents=True)
        write(folder / name, items)
    names = ("eclektic", "mgsm", "prox")
    return {
        f"benchmarks.{place}.source": (folder / name).as_uri() for place, name in enumerate(names)
    }


def _eclektic(folder: Path, items: int) -> None:
    """Each question's source is another language in turn."""
    rows = [
        eclektic_row(
            item,
            ECLEKTIC[item % len(ECLEKTIC)],
            {code: (f"{code} {item}?", f"name{item}") for code in ECLEKTIC},
        )
        for item in range(items)
    ]
    (folder / "eclektic_main.jsonl").write_bytes(jsonl(rows))


def _mgsm(folder: Path, items: int) -> None:
    for code in MGSM:
        lines = [f"{code}: {item} + {item}?\t{2 * item}" for item in range(items)]
        (folder / f"mgsm_{code}.tsv").write_text("\n".join(lines) + "\n")


def _prox(folder: Path, items: int) -> None:
    for code in MMLU_PROX:
        rows = [
            prox_row(
                item,
                f"{code}: which is {item}?",
                [f"{code} {item} {at}" for at in range(OPTIONS)],
                "ABCDEFGHIJ"[item % OPTIONS],
            )
            for item in range(items)
        ]
        (folder / code).mkdir()
        (folder / code / "test-00000-of-00001.parquet").write_bytes(parquet(rows))
