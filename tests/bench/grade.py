"""How long a million choice and number answers take to grade, on one core.

python tests/bench/grade.py [--answers 1000000]

Half of the answers are letters and half are numbers, in all languages, of up to 200 characters;
one in ten says no more than the answer, the others something before it. Prints the seconds of one
process and how many times longer that is than a plain search for the last number or letter, which
reads no language's marks, announcements, denials or option texts. Leaves with 1 above 60 seconds.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Iterator
from typing import Any

from tasks.grading import grade
from tasks.languages import LANGUAGES

LIMIT = 60.0  # seconds for a million
CHUNK = 20_000
PLAIN = re.compile(r"-?\d[\d.,]*|\b[A-D]\b")
SAID = ("Anna has three boxes", "we add what is left", "which gives the rest", "so we count again")
OPTIONS = ["a hen", "the dog", "in the north", "a blue lake"]


def answers(count: int, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Arguments of `grade`."""
    codes = list(LANGUAGES)
    for at in range(count):
        row = LANGUAGES[rng.choice(codes)]
        said = ". ".join(rng.choices(SAID, k=rng.randint(1, 10)))
        before = f"{said}. {row.answer_word}{row.colon} "[-195:] if rng.random() > 0.1 else ""
        if at % 2:
            gold = str(rng.randint(1, 300))
            yield {"kind": "number", "language": row.code, "gold": gold,
                   "text": f"{before}{rng.randint(1, 3000)}"}  # fmt: skip
        else:
            yield {"kind": "choice", "language": row.code, "gold": rng.choice("ABCD"),
                   "text": f"{before}{rng.choice('ABCD')}", "options": OPTIONS}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Times grading.")
    parser.add_argument("--answers", type=int, default=1_000_000)
    count, rng = parser.parse_args().answers, random.Random(0)
    ours, plain, longest, right = 0.0, 0.0, 0, 0.0
    for start in range(0, count, CHUNK):
        asked = list(answers(min(CHUNK, count - start), rng))
        longest = max(longest, *(len(one["text"]) for one in asked))
        before = time.process_time()
        right += sum(grade(**one).score for one in asked)
        between = time.process_time()
        assert all(PLAIN.findall(one["text"])[-1] for one in asked)
        ours, plain = ours + between - before, plain + time.process_time() - between
    assert 0 < right < count
    million = ours * 1e6 / count
    print(f"{count} answers of up to {longest} characters: {million:.1f} s for a million")
    print(f"{ours / plain:.0f} times a plain search for the last number or letter")
    raise SystemExit(million > LIMIT)


if __name__ == "__main__":
    main()
