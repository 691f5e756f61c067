import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer

from tasks.errors import BadInput, WrongWorker
from tasks.models.mirror import materialise
from tasks.models.references import Reference, parse_reference


def digests(folder: Path) -> dict[str, str]:
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.iterdir()
        if file.is_file()
    }


@pytest.fixture
def source(tiny_folder: Path, tmp_path: Path) -> Path:
    """A model folder that a test may change."""
    return Path(shutil.copytree(tiny_folder, tmp_path / "source"))


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "target").mkdir()
    return tmp_path / "target"


def test_the_tiny_model_is_the_same_bytes_every_time(tiny_folder: Path, target: Path) -> None:
    facts = materialise(Reference("bundled", "tiny-random"), target)
    assert digests(target) == digests(tiny_folder)
    assert facts == {
        "source": "bundled:tiny-random", "revision": "seed:270", "licence": "apache-2.0",
        "chat_template": False, "parameters": 90_624, "dtype": "float32",
    }  # fmt: skip


def test_a_folder_is_copied_without_what_is_no_model(source: Path, target: Path) -> None:
    (source / "train.py").write_text("print('never run')")
    (source / "pytorch_model.bin").write_bytes(b"pickle")
    (source / "original").mkdir()
    (source / "original" / "consolidated.safetensors").write_bytes(b"again")
    facts = materialise(parse_reference(f"file:{source}"), target)
    assert facts["revision"].startswith("sha256:")
    assert {file.name for file in target.iterdir()} == {
        "config.json", "generation_config.json", "model.safetensors", "tokenizer.json",
        "tokenizer_config.json", "README.md",
    }  # fmt: skip
    AutoModelForCausalLM.from_pretrained(target)
    AutoTokenizer.from_pretrained(target)


def test_the_revision_of_files_follows_their_bytes(source: Path, tmp_path: Path) -> None:
    def revision(name: str) -> str:
        (tmp_path / name).mkdir()
        return str(materialise(Reference("file", str(source)), tmp_path / name)["revision"])

    first = revision("a")
    assert revision("b") == first
    (source / "README.md").write_text("---\nlicense: mit\n---\n")
    assert revision("c") != first


@pytest.mark.parametrize(
    ("card", "licence"), [("---\nlicense: mit\n---\n", "mit"), ("no front matter", "unknown")]
)
def test_the_licence_is_the_model_cards(
    source: Path, target: Path, card: str, licence: str
) -> None:
    (source / "README.md").write_text(card)
    assert materialise(Reference("file", str(source)), target)["licence"] == licence


def test_a_chat_template_is_a_fact(source: Path, target: Path) -> None:
    (source / "chat_template.jinja").write_text("{{ messages }}")
    assert materialise(Reference("file", str(source)), target)["chat_template"] is True


def drop_config(source: Path) -> None:
    (source / "config.json").unlink()


def pickle_weights(source: Path) -> None:
    (source / "model.safetensors").rename(source / "pytorch_model.bin")


def lose_a_shard(source: Path) -> None:
    index = {"weight_map": {"a": "model.safetensors", "b": "model-2.safetensors"}}
    (source / "model.safetensors.index.json").write_text(json.dumps(index))


def need_code(source: Path) -> None:
    config = json.loads((source / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.OwnConfig"}}
    (source / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (drop_config, "no config.json"),
        (pickle_weights, "no .*safetensors"),
        (lose_a_shard, "lacks model-2.safetensors"),
        (need_code, "never run"),
        (shutil.rmtree, "no folder on this machine"),
    ],
)
def test_what_is_no_safe_complete_model_is_refused(
    source: Path, target: Path, damage: object, sentence: str
) -> None:
    assert callable(damage)
    damage(source)
    with pytest.raises(BadInput, match=sentence) as caught:
        materialise(Reference("file", str(source)), target)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["step:train-student", "endpoint:lab/m", "simulated:base"])
def test_what_has_no_weights_is_refused(text: str, target: Path) -> None:
    with pytest.raises(BadInput, match="no weights to mirror"):
        materialise(parse_reference(text), target)


def test_gemma_is_what_it_says(gemma_folder: Path, target: Path) -> None:
    facts = materialise(Reference("file", str(gemma_folder)), target)
    assert facts["licence"] == "gemma" and facts["dtype"] == "bfloat16"
    assert facts["parameters"] == 268_098_176
    assert (gemma_folder / "GEMMA_TERMS.html").is_file()


@pytest.fixture(scope="module")
def hub() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hub", Path(__file__).with_name("hub.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def mirrored(address: str, reference: str, target: Path) -> subprocess.CompletedProcess[str]:
    """`materialise` in a process whose hub is at `address`."""
    code = (
        "import json; from pathlib import Path; from tasks.models.mirror import materialise\n"
        "from tasks.models.references import parse_reference\n"
        f"print(json.dumps(materialise(parse_reference({reference!r}), Path({str(target)!r}))))"
    )
    environment = os.environ | {"HF_ENDPOINT": address, "HF_HOME": str(target.parent / "hf")}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )


def test_a_hub_model_is_pinned_to_its_commit(source: Path, target: Path, hub: ModuleType) -> None:
    (source / "pytorch_model.bin").write_bytes(b"pickle")
    (source / "onnx").mkdir()
    (source / "onnx" / "config.json").write_text("{}")
    with hub.serve(source) as address:
        done = mirrored(address, "hf:lab/tiny", target)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["source"], facts["revision"]) == ("hf:lab/tiny", hub.COMMIT)
    del (expected := digests(source))["pytorch_model.bin"]
    assert digests(target) == expected
    assert not any(entry.is_dir() for entry in target.iterdir())


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [("hf:lab/tiny@v9", "BadInput: hf:lab/tiny@v9 is not on the hub"),
     ("hf:lab/other", "BadInput: hf:lab/other is not on the hub")],
)  # fmt: skip
def test_what_the_hub_has_not_is_bad_input(
    source: Path, target: Path, hub: ModuleType, reference: str, sentence: str
) -> None:
    with hub.serve(source) as address:
        done = mirrored(address, reference, target)
    assert sentence in done.stderr


def test_a_hub_that_does_not_answer_is_this_workers_fault(target: Path, hub: ModuleType) -> None:
    with hub.serve(target) as address:
        pass
    done = mirrored(address, "hf:lab/tiny", target)
    assert f"{WrongWorker.__name__}: The hub did not deliver hf:lab/tiny" in done.stderr
