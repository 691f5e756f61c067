"""Puts a model into a folder that transformers loads without a hub, and says what it is."""

from __future__ import annotations

import json
import shutil
import struct
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any

from tasks.artifacts.roots import require_root
from tasks.errors import BadInput, WrongWorker
from tasks.models.gemma import write_gemma
from tasks.models.references import Reference
from tasks.models.tiny import write_tiny
from tasks.models.tokens import load_tokenizer

# Weights are taken as safetensors only: the other forms are programs.
WANTED = (
    "*.safetensors", "*.json", "*.jinja", "*.model", "*.txt", "*.tiktoken", "README.md", "LICENSE*",
    "NOTICE*",
)  # fmt: skip
# Other precisions and formats lie in sub-folders; "consolidated" repeats the weights.
UNWANTED = ("*/*", "consolidated*", "*.bin.index.json")
# As the safetensors header and as torch say it.
DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}
BUNDLED = {"gemma-3-270m": write_gemma, "tiny-random": write_tiny}


def materialise(reference: Reference, folder: Path) -> dict[str, Any]:
    """Fill the empty `folder` with a complete model.

    Returns:
        source, revision (commit, "sha256:..." of the files, "seed:..."), licence, chat_template,
        parameters, dtype.

    Raises:
        BadInput: there is no such model, or not in a form that is accepted.
        WrongWorker: this machine does not reach the hub, or lacks the package of the model.
    """
    if reference.kind == "hf":
        revision = _download(reference, folder)
    elif reference.kind == "file":
        revision = _copy(reference, folder)
    elif reference.kind == "bundled":
        revision = BUNDLED[reference.name](folder)
    else:
        raise BadInput(
            f"{reference} has no weights to mirror; only hf:, file: and bundled: models have."
        )
    _check(reference, folder)
    return {
        "source": str(reference),
        "revision": revision,
        "licence": _licence(folder),
        "chat_template": load_tokenizer(folder).chat_template is not None,
        **_size(folder),
    }


def _download(reference: Reference, folder: Path) -> str:
    """Fetch a hub model; its commit."""
    import httpx
    from huggingface_hub import HfApi, errors

    api = HfApi()
    try:
        commit = str(api.model_info(reference.name, revision=reference.revision).sha)
        api.snapshot_download(
            reference.name,
            revision=commit,
            local_dir=folder,
            allow_patterns=list(WANTED),
            ignore_patterns=list(UNWANTED),
        )
    except errors.GatedRepoError as error:
        raise BadInput(
            f"{reference} is gated; accept its terms on the hub and give this worker HF_TOKEN."
        ) from error
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError) as error:
        raise BadInput(
            f"{reference} is not on the hub, or not visible to this worker; check the name and"
            " revision, and set HF_TOKEN for a private model."
        ) from error
    except (httpx.HTTPError, OSError, errors.RevisionResolutionError) as error:
        raise WrongWorker(
            f"The hub did not deliver {reference} ({type(error).__name__}); run prepare-models"
            " where the hub can be reached, or give a local folder as file:PATH."
        ) from error
    shutil.rmtree(folder / ".cache", ignore_errors=True)  # the client's notes
    return commit


def _copy(reference: Reference, folder: Path) -> str:
    """Copy a local model; the SHA-256 of its file names and bytes."""
    source = Path(reference.name)
    require_root("the model", f"file://{source.absolute()}")
    if not source.is_dir():
        raise BadInput(
            f"{reference} is no folder on this machine; give the path of a model folder."
        )
    digest = sha256()
    for file in sorted(source.iterdir()):
        if file.is_file() and _wanted(file.name):
            copied = Path(shutil.copyfile(file, folder / file.name))
            digest.update(f"{file.name}\0{_file_digest(copied)}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def _wanted(name: str) -> bool:
    return any(fnmatch(name, one) for one in WANTED) and not any(
        fnmatch(name, one) for one in UNWANTED
    )


def _file_digest(file: Path) -> str:
    digest = sha256()
    with file.open("rb") as data:
        while block := data.read(1 << 22):
            digest.update(block)
    return digest.hexdigest()


def _check(reference: Reference, folder: Path) -> None:
    from transformers import AutoConfig

    if not (folder / "config.json").is_file():
        raise BadInput(
            f"{reference} has no config.json; give a model in the form of save_pretrained, an"
            " adapter merged into its base."
        )
    shards = _shards(folder)
    if not shards:
        raise BadInput(
            f"{reference} has no *.safetensors; save it with save_pretrained, pickled *.bin files"
            " are never read."
        )
    for name in shards:
        if not (folder / name).is_file():
            raise BadInput(f"{reference} lacks {name}, which its index names; copy it completely.")
    try:
        AutoConfig.from_pretrained(folder, trust_remote_code=False)
    except (ValueError, OSError) as error:
        raise BadInput(
            f"{reference} is of a kind that transformers cannot load without code from the model's"
            f" author, which is never run: {str(error).splitlines()[0]}"
        ) from error


def _shards(folder: Path) -> list[str]:
    """Names of the weight files; those that the index lists, where there is one."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        return sorted(set(json.loads(index.read_text())["weight_map"].values()))
    return sorted(file.name for file in folder.glob("*.safetensors"))


def _size(folder: Path) -> dict[str, Any]:
    """Number of weights and the type that most of them have, from the files' headers."""
    counts: Counter[str] = Counter()
    for name in _shards(folder):
        for dtype, shape in _tensors(folder / name):
            counts[dtype] += prod(shape)
    [(dtype, _)] = counts.most_common(1)
    return {"parameters": counts.total(), "dtype": DTYPES.get(dtype, dtype)}


def _tensors(file: Path) -> Iterator[tuple[str, list[int]]]:
    """Type and shape of each tensor; the format is 8 bytes of length, then a JSON header."""
    with file.open("rb") as data:
        (length,) = struct.unpack("<Q", data.read(8))
        header = json.loads(data.read(length))
    for name, entry in header.items():
        if name != "__metadata__":
            yield entry["dtype"], entry["shape"]


def _licence(folder: Path) -> str:
    """What the model card says, else "unknown"."""
    from huggingface_hub import ModelCard

    card = folder / "README.md"
    if not card.is_file():
        return "unknown"
    return str(ModelCard.load(card, ignore_metadata_errors=True).data.license or "unknown")
