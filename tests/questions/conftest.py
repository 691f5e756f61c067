from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def taught_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.questions.taught import write_taught

    folder = tmp_path_factory.mktemp("taught")
    write_taught(folder)
    return folder
