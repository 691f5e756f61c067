"""Time and memory of scoring: 20 models x 3 benchmarks x 29 languages x 658 items x 10 samples.

python tests/bench/score.py [--models 20] [--resamples 1000] [--folder DIR]

Writes the samples to a Parquet file, scores that file in a process of its own, and prints seconds,
peak memory, how the time grows with the samples, and how much longer a plain loop takes that fits
statsmodels' OLS without constant per target and resample: both on the same slice, in the same run.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tasks.artifacts.schemas import GRADES
from tasks.languages import LANGUAGES
from tasks.scoring import hat, pairs, percentile, resample_counts

BENCHMARKS, TARGETS, ITEMS, SAMPLES = 3, 28, 658, 10
SLICE = 200  # resamples of one target that the plain loop is timed on
TIMES_FASTER = 100  # at least, than the plain loop


def languages() -> list[str]:
    """English first; codes that are no language fill up."""
    known = [code for code in LANGUAGES if code != "en"][:TARGETS]
    return ["en", *known, *(f"x{i}" for i in range(TARGETS - len(known)))]


def write_samples(path: Path, models: int) -> int:
    """Graded samples, a benchmark of one model at a time; gives the number of rows."""
    rng = np.random.default_rng(0)
    codes = languages()
    difficulty = rng.beta(1.5, 1.5, (BENCHMARKS, 1, ITEMS, 1))
    rows = 0
    with pq.ParquetWriter(path, GRADES) as writer:
        for model in range(models):
            slopes = np.r_[1.0, rng.uniform(0.4, 1.0, len(codes) - 1)][:, None, None]
            for benchmark in range(BENCHMARKS):
                p = difficulty[benchmark] * slopes
                right = rng.random((len(codes), ITEMS, SAMPLES)) < p
                table = _table(f"model {model}", f"benchmark {benchmark}", codes, right)
                writer.write_table(table)
                rows += table.num_rows
    return rows


def _table(model: str, benchmark: str, codes: list[str], right: np.ndarray) -> pa.Table:
    n = right.size
    language, item, sample = (axis.ravel() for axis in np.indices(right.shape, dtype=np.int32))

    def texts(names: list[str], places: np.ndarray) -> pa.Array:
        return pa.DictionaryArray.from_arrays(places, names).cast(pa.string())

    same = np.zeros(n, dtype=np.int32)
    columns = {
        "model": texts([model], same),
        "benchmark": texts([benchmark], same),
        "item_id": texts([f"item {i}" for i in range(ITEMS)], item),
        "language": texts(codes, language),
        "source_language": texts(["en"], same),
        "parallel": pa.array(np.ones(n, dtype=bool)),
        "sample": pa.array(sample.astype(np.int16)),
        "status": texts(["wrong", "right"], right.ravel().astype(np.int32)),
        "answer": texts(["no", "yes"], right.ravel().astype(np.int32)),
        "score": pa.array(right.ravel().astype(float)),
        "completion_tokens": pa.array((20 + language + right.ravel()).astype(np.int32)),
        "temperature": pa.array(np.ones(n)),
    }
    return pa.table([columns.get(f.name, pa.nulls(n, f.type)) for f in GRADES], schema=GRADES)


def timed_score(path: Path, resamples: int) -> None:
    """Scores the file and prints seconds and peak memory; runs in a process of its own."""
    from tasks.scoring import score

    begun = time.perf_counter()
    used = [f.name for f in GRADES if f.name not in {"reasoning_tokens", "flags"}]
    texts = [f.name for f in GRADES if f.type == pa.string()]
    grades = pq.read_table(path, columns=used, read_dictionary=texts)
    read = time.perf_counter() - begun
    scored = score(grades, resamples=resamples)
    print(
        json.dumps(
            {
                "read_s": round(read, 2),
                "total_s": round(time.perf_counter() - begun, 2),
                "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
                "rows_of_scores": scored.scores.num_rows,
            }
        )
    )


def plain_loop_seconds() -> float:
    """Seconds of one target and one resample by statsmodels' OLS through the origin."""
    from statsmodels.api import OLS

    rng = np.random.default_rng(0)
    s, t = rng.random(ITEMS), rng.random(ITEMS)
    begun = time.perf_counter()
    for _ in range(SLICE):
        drawn = rng.integers(0, ITEMS, ITEMS)
        OLS(t[drawn], s[drawn]).fit()
    return (time.perf_counter() - begun) / SLICE


def own_slope_seconds() -> float:
    """The same of one target and one resample by the project's code, the slope alone."""
    rng = np.random.default_rng(0)
    s, t = (rng.integers(0, SAMPLES + 1, (1, TARGETS, ITEMS)).astype(float) for _ in "st")
    n = np.full((1, TARGETS, ITEMS), float(SAMPLES))
    begun = time.perf_counter()
    counts = resample_counts(np.zeros(ITEMS, dtype=np.int64), SLICE, rng)
    percentile(hat(pairs(s, s, n, t, n)).resampled(counts))
    return (time.perf_counter() - begun) / SLICE / TARGETS


def main() -> None:
    """Write, score, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--score", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.score:
        timed_score(given.score, given.resamples)
        return
    found = {}
    with tempfile.TemporaryDirectory(dir=given.folder, prefix="hotfixr-") as folder:
        for models in sorted({max(given.models // 4, 1), given.models}):
            path = Path(folder) / f"{models}.parquet"
            rows = write_samples(path, models)
            command = [sys.executable, __file__, "--score", str(path)]
            command += ["--resamples", str(given.resamples)]
            said = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
            found[rows] = json.loads(said)
            print(f"{rows:,} samples: {found[rows]}")
    (few, less), (many, more) = min(found.items()), max(found.items())
    growth = (more["total_s"] / less["total_s"]) / (many / few)
    print(f"{growth:.2f} times the time per sample with {many / few:.0f} times the samples")
    plain, own = plain_loop_seconds(), own_slope_seconds()
    print(f"one slope and resample: statsmodels {plain * 1e6:,.0f} us, here {own * 1e6:.2f} us")
    print(f"{plain / own:,.0f} times faster (at least {TIMES_FASTER})")
    fits = given.models * BENCHMARKS * TARGETS * given.resamples
    print(f"all slopes by statsmodels: {fits * plain:,.0f} s; all metrics here {more['total_s']} s")


if __name__ == "__main__":
    main()
