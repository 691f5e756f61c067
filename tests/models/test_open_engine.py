import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tasks.artifacts.journal import Journal, Kept
from tasks.artifacts.store import open_store
from tasks.errors import BadInput, WrongWorker
from tasks.models.engine import Prompt, Sampling
from tasks.models.machine import EngineSettings
from tasks.models.open_engine import open_engine

KEPT = Kept(lambda part: Journal(open_store("file:///nowhere"), "evaluate", part))
CPU = EngineSettings(
    engine="transformers", dtype="float32", device="cpu", context=64, profile="base"
)


def test_the_transformers_engine_opens_with_its_context(tiny_folder: Path) -> None:
    engine = open_engine(CPU, tiny_folder, 0, KEPT)
    assert (engine.name, engine.device) == ("transformers", "cpu")
    [[one]] = engine.complete([Prompt(text="a")], Sampling(max_tokens=3, temperature=0), 0)
    assert one.prompt_tokens == 2
    with pytest.raises(BadInput, match=r"machine\.context"):
        engine.complete([Prompt(text="a" * 64)], Sampling(max_tokens=3), 0)
    engine.close()


def test_a_simulated_engine_needs_no_folder() -> None:
    settings = CPU.model_copy(update={"engine": "simulated"})
    assert open_engine(settings, None, 0, KEPT).name == "simulated"


def test_an_unknown_engine_is_refused(tiny_folder: Path) -> None:
    with pytest.raises(BadInput, match="'mlx' is not known"):
        open_engine(CPU.model_copy(update={"engine": "mlx"}), tiny_folder, 0, KEPT)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
@pytest.mark.parametrize("engine", ["transformers", "vllm"])
def test_a_gpu_that_is_not_there_is_said_to_be_missing(tiny_folder: Path, engine: str) -> None:
    settings = CPU.model_copy(update={"device": "cuda", "engine": engine})
    with pytest.raises(WrongWorker, match="no GPU here"):
        open_engine(settings, tiny_folder, 0, KEPT)


def test_a_worker_without_vllm_says_so(tiny_folder: Path) -> None:
    code = (
        "import sys; sys.modules['vllm.sampling_params'] = None\n"
        "from tasks.models.vllm_engine import VllmEngine\n"
        f"VllmEngine({str(tiny_folder)!r}, 'float32', 'cpu', 0, 64)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "WrongWorker: engine vllm does not load on this worker" in done.stderr
