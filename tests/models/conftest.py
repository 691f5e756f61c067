import os
import shutil
from pathlib import Path

import pytest

from tasks.models.references import Reference

# Read when torch is loaded: waiting threads then leave the cores to other tests.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@pytest.fixture(scope="session")
def gemma_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Converted once, for good where HOTFIXR_CACHE says so."""
    from tasks.models.mirror import materialise

    cache = os.environ.get("HOTFIXR_CACHE")
    root = Path(cache) / "tests" if cache else tmp_path_factory.mktemp("models")
    folder = root / "gemma-3-270m"
    if not folder.is_dir():
        arriving = root / f"arriving-{os.getpid()}"
        arriving.mkdir(parents=True)
        materialise(Reference("bundled", "gemma-3-270m"), arriving)
        try:
            arriving.rename(folder)
        except OSError:  # another process was first
            shutil.rmtree(arriving)
    return folder


# A template that opens the thought in the prompt, as those of newer models do.
OPENING = (
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
    "{% if enable_thinking is defined and enable_thinking is false %}<think></think>"
    "{% else %}<think>{% endif %}"
)


@pytest.fixture(scope="session")
def thinker(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model as one that thinks."""
    folder = tmp_path_factory.mktemp("thinker") / "model"
    shutil.copytree(tiny_folder, folder)
    (folder / "chat_template.jinja").write_text(OPENING)
    return folder
