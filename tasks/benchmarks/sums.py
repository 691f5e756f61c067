"""Sums: generated additions, the same in every language, as many as are asked for.

They need no files, so that large runs and simulated models have something to be asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from tasks.benchmarks.published import Published, require_bundled

REVISION = "sums 1"  # to be raised with every change of what is generated
DEFAULT_ITEMS = 250
_TWO_DIGITS = 90  # numbers from 10 to 99
_STRIDE = 4549  # shares no factor with 90 * 90: all pairs come once before any comes again
_EXAMPLES = ((3, 4), (8, 5), (6, 9))  # one digit each, so that no item is among them


class Sums:
    """Additions of two numbers of at least two digits, all different."""

    def load(self, source: str, language: str, items: int | None) -> Sequence[Published]:
        """The first so many (None: 250). Raises BadInput."""
        require_bundled("sums", source)
        return [_item(number) for number in range(items or DEFAULT_ITEMS)]

    def revision(self, source: str) -> str:
        """Digest of the version of the rule."""
        require_bundled("sums", source)
        return sha256(REVISION.encode()).hexdigest()

    def examples(self, language: str) -> Sequence[Published]:
        """Three fixed sums."""
        return [_sum(f"sums-example-{at}", a, b) for at, (a, b) in enumerate(_EXAMPLES)]


def _item(number: int) -> Published:
    block, within = divmod(number, _TWO_DIGITS**2)
    first, second = divmod(within * _STRIDE % _TWO_DIGITS**2, _TWO_DIGITS)
    return _sum(f"sums-{number:05d}", 10 + first + block * _TWO_DIGITS, 10 + second)


def _sum(item_id: str, a: int, b: int) -> Published:
    return Published(item_id, f"{a} + {b}", (str(a + b),), working=f"{a} + {b} = {a + b}")
