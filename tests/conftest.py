"""Real services for all tests: an S3 server of their own, and on demand the whole stack."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from pathlib import Path

import pytest

from deployments.stack import Stack
from tasks.artifacts.store import Store, open_store
from tasks.models.references import Reference
from tests.ports import free_port

# Prefect reads its settings when it is first imported, so the stack's addresses and keys must be
# in the environment before any test module is.
FOLDER = Path(tempfile.mkdtemp(prefix="hotfixr-tests-"))
STACK = Stack(FOLDER)
STACK.create({name: free_port() for name in ("prefect", "s3", "reports")})
os.environ.update(STACK.environment)


def pytest_unconfigure() -> None:
    """Leave no process and no folder behind."""
    STACK.down()
    shutil.rmtree(FOLDER, ignore_errors=True)


@pytest.fixture(scope="session")
def s3_stack() -> Stack:
    """A stack of which only the S3 server runs."""
    STACK.start_s3()
    return STACK


@pytest.fixture(scope="session")
def stack(s3_stack: Stack) -> Stack:
    """The whole stack: Prefect server with authentication, deployments, three workers."""
    s3_stack.up()
    return s3_stack


@pytest.fixture
def s3_store(s3_stack: Stack) -> Store:
    """An empty store in the real S3 server."""
    return open_store(f"s3://hotfixr/tests/{uuid.uuid4().hex[:8]}")


@pytest.fixture
def file_store(tmp_path: pytest.TempPathFactory) -> Store:
    """An empty store in a folder."""
    return open_store(f"file://{tmp_path}/store")


@pytest.fixture(params=["s3", "file"])
def store(request: pytest.FixtureRequest) -> Store:
    """The same test against both kinds of store."""
    chosen: Store = request.getfixturevalue(f"{request.param}_store")
    return chosen


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny random model."""
    from tasks.models.mirror import materialise

    folder = tmp_path_factory.mktemp("tiny-random")
    materialise(Reference("bundled", "tiny-random"), folder)
    return folder
