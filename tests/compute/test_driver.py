"""Drivers against torch's builds, from what the programs of real machines print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.compute.driver import compare, driver_version, look_at_driver

MODULE = """NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024
GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)
"""
OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\n"
MISMATCH = """Failed to initialize NVML: Driver/library version mismatch
NVML library version: 550.90
"""


@pytest.mark.parametrize(
    ("said", "module", "version"),
    [
        ("535.104.05", "", "535.104.05"),
        ("580.95\n580.95", "", "580.95"),
        ("", MODULE, "550.54.14"),
        ("", OPEN, "580.65.06"),
        ("No devices were found", MODULE, "550.54.14"),
        ("", "", None),
    ],
)
def test_the_version_is_read(said: str, module: str, version: str | None) -> None:
    assert driver_version(said, module) == version


@pytest.mark.parametrize(
    ("driver", "cuda", "devices", "said", "mend"),
    [
        (None, None, [], "no NVIDIA driver", ""),
        (None, "13.0", [], "no NVIDIA driver", ""),
        ("580.95.05", "13.0", ["NVIDIA H200"], "torch for CUDA 13.0: NVIDIA H200", ""),
        ("590.10", "12.8", ["NVIDIA A100"], "NVIDIA A100", ""),
        ("535.104.05", "12.8", ["NVIDIA A100"], "NVIDIA A100", ""),  # minor versions may differ
        ("535.104.05", "13.0", [], "535.104.05 is too old for torch", "driver 580.65.06 or newer"),
        ("470.256.02", "12.1", [], "too old", "driver 525.60.13 or newer"),
        ("580.65.06", "13.0", [], "torch finds no device", "CUDA_VISIBLE_DEVICES"),
        ("580.95.05", None, [], "torch here is a CPU build", "HOTFIXR_LOCK=gpu"),
        ("580.95.05", "14.1", ["NVIDIA R300"], "NVIDIA R300", ""),  # what torch finds, works
    ],
)
def test_a_driver_and_a_build_fit_or_not(
    driver: str | None, cuda: str | None, devices: list[str], said: str, mend: str
) -> None:
    found = compare(driver, cuda, devices)
    assert said in found.found and mend in found.mend and bool(found.mend) is bool(mend)


def test_a_driver_that_was_changed_under_the_kernel() -> None:
    found = compare(None, "13.0", [], MISMATCH)
    assert "version mismatch" in found.found and "restart" in found.mend


def test_a_machine_with_a_driver_and_a_torch_without_cuda(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 580.95.05\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    import torch

    if torch.version.cuda is not None:
        pytest.skip("torch here is built for CUDA")
    assert "driver 580.95.05, but torch here is a CPU build" in look_at_driver().found
