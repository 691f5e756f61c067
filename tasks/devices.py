"""Devices: how fast they run models, and what an hour of them costs. One row per device.

Rates are tokens a second of a model of one billion parameters in 16 bits; a model of P billions has
1/P of them. Of the GPUs they are shares of the published peaks that such software reaches: 40 % of
the arithmetic (2 FLOP per parameter and token) to read, 35 % (of 6) to train; to write, the lesser
of 15 % and what 64 samples at a time get out of half the bandwidth; to draw, 16 of them. Of the CPU
they are measured, two cores of a server of 2024. Prices are what clouds ask without a contract, in
round numbers of autumn 2026: say your own with --price.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.errors import BadInput


@dataclass(frozen=True)
class Device:
    """One kind of machine."""

    name: str
    memory: float  # GB, of a GPU
    reads: float  # tokens a second of prompts, without what a prefix cache saves
    writes: float  # of completions, by vLLM in large batches
    draws: float  # of completions in small batches, by transformers
    trains: float  # of a forward and backward pass with an adapter
    start: float  # seconds until an engine with a model of a billion parameters is ready
    price: float  # money an hour, US dollars


def _gpu(name: str, memory: float, teraflops: float, bandwidth: float, price: float) -> Device:
    """From published peaks: dense 16-bit TFLOP/s, GB/s."""
    per_token = teraflops * 1e12 / 2e9
    passes = bandwidth * 1e9 / 2e9  # of all weights through the memory, a second
    return Device(
        name,
        memory,
        reads=0.4 * per_token,
        writes=min(0.15 * per_token, 64 * 0.5 * passes),
        draws=min(0.15 * per_token, 16 * 0.5 * passes),
        trains=0.35 * per_token / 3,
        start=20.0,
        price=price,
    )


DEVICES: dict[str, Device] = {
    row.name: row
    for row in (
        Device("cpu", 0.0, reads=810, writes=65, draws=80, trains=115, start=60.0, price=0.1),
        _gpu("l4", 24, 121, 300, 0.8),
        _gpu("l40s", 48, 362, 864, 1.9),
        _gpu("a100", 80, 312, 2_039, 2.5),
        _gpu("h100", 80, 989, 3_350, 4.0),
        _gpu("h200", 141, 989, 4_800, 5.0),
    )
}


def device_named(name: str) -> Device:
    """The row of a device; BadInput lists the known ones."""
    if name not in DEVICES:
        raise BadInput(f"device {name!r} is not known; write one of {', '.join(DEVICES)}")
    return DEVICES[name]


@dataclass(frozen=True)
class Load:
    """What one model has to do in a step: tokens; `billions` None where its size is not known."""

    model: str
    billions: float | None
    reads: float = 0.0  # by the accelerator
    writes: float = 0.0
    draws: float = 0.0
    trains: float = 0.0
    shown: float = 0.0  # prompt tokens as they are counted, cached ones too

    @property
    def tokens(self) -> float:
        """That a model reads and writes; what is learnt from counts as read."""
        return max(self.shown, self.reads) + self.writes + self.draws + self.trains

    def seconds(self, device: Device) -> float | None:
        """On one such device, the start of the engine included."""
        if self.billions is None:
            return None
        pairs = (
            (self.reads, device.reads),
            (self.writes, device.writes),
            (self.draws, device.draws),
            (self.trains, device.trains),
        )
        work = sum(tokens / rate for tokens, rate in pairs)
        return self.billions * (work + device.start)
