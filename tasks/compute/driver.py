"""Whether the GPU's driver and torch's build of CUDA fit; asked without loading torch here."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

# The oldest Linux driver of each CUDA major version, from NVIDIA's notes on compatibility: within
# one major version, newer libraries run on it.
OLDEST_DRIVER = {11: (450, 80, 2), 12: (525, 60, 13), 13: (580, 65, 6)}
KERNEL_MODULE = Path("/proc/driver/nvidia/version")
QUERY = ("--query-gpu=driver_version", "--format=csv,noheader")
ANSWER = 60.0  # seconds
ASK_TORCH = (
    "import json, torch; n = torch.cuda.device_count() if torch.cuda.is_available() else 0;"
    "print(json.dumps([torch.version.cuda, [torch.cuda.get_device_name(i) for i in range(n)]]))"
)


class Driver(NamedTuple):
    """What was found; `mend` is empty where nothing is wrong."""

    found: str
    mend: str = ""


def look_at_driver() -> Driver:
    """This machine's driver against this environment's torch."""
    module = KERNEL_MODULE.read_text() if KERNEL_MODULE.is_file() else ""
    said = _said([program, *QUERY]) if (program := shutil.which("nvidia-smi")) else ""
    if not module and not said:
        return compare(None, None, [])
    torch = _said([sys.executable, "-c", ASK_TORCH]).splitlines()
    cuda, devices = json.loads(torch[-1]) if torch and torch[-1].startswith("[") else (None, [])
    return compare(driver_version(said, module), cuda, devices, said)


def _said(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout or done.stderr).strip()


def driver_version(said: str, module: str) -> str | None:
    """The version that nvidia-smi said, or that the kernel module states of itself."""
    for text in (said, module):
        match = re.search(r"\b(\d{3}\.\d+(?:\.\d+)?)\b", text)
        if match:
            return match[1]
    return None


def compare(driver: str | None, cuda: str | None, devices: list[str], said: str = "") -> Driver:
    """Judge a driver version, the CUDA version that torch was built for (None: a CPU build), and
    the devices that torch finds; `said` is what nvidia-smi printed."""
    if "mismatch" in said:
        return Driver(
            f"nvidia-smi says: {said.splitlines()[0]}",
            "restart the machine: the driver was updated under the running kernel",
        )
    if driver is None:
        return Driver("no NVIDIA driver, so models run on the CPU here")
    if cuda is None:
        return Driver(
            f"driver {driver}, but torch here is a CPU build or absent",
            "HOTFIXR_LOCK=gpu bash infra/install.sh in a new .venv",
        )
    major = int(cuda.partition(".")[0])
    oldest = OLDEST_DRIVER.get(major)
    have = tuple(int(number) for number in driver.split("."))
    if oldest is not None and have < oldest:
        needed = ".".join(f"{number:02}" for number in oldest)
        return Driver(
            f"driver {driver} is too old for torch, which is built for CUDA {cuda}",
            f"install driver {needed} or newer, or a torch built for an older CUDA",
        )
    if not devices:
        return Driver(
            f"driver {driver} and torch for CUDA {cuda} fit, but torch finds no device",
            "check CUDA_VISIBLE_DEVICES, and what nvidia-smi says",
        )
    return Driver(f"driver {driver}, torch for CUDA {cuda}: {', '.join(devices)}")
