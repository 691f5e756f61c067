from pathlib import Path

import pytest

from tasks.models.references import Reference


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tasks.models.mirror import materialise

    folder = tmp_path_factory.mktemp("tiny-random")
    materialise(Reference("bundled", "tiny-random"), folder)
    return folder


@pytest.fixture(scope="session")
def taught_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.questions.taught import write_taught

    folder = tmp_path_factory.mktemp("taught")
    write_taught(folder)
    return folder
