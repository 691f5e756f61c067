#!/usr/bin/env bash
# Install, check, and run all tests but those marked faults. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
bash infra/install.sh
export PATH="$PWD/.venv/bin:$PATH" PYTHONUNBUFFERED=1
ruff check .
ruff format --check .
mypy
python -m pytest -m "not faults and not long and not gpu and not browser" "$@"
