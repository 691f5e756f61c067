#!/usr/bin/env bash
# Kill, freeze, cut and fill: every fault test, against the real servers. Not part of infra/test.sh:
# half an hour on two free cores, an hour at most. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
bash infra/install.sh
export PATH="$PWD/.venv/bin:$PATH" PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1
# INT, so that pytest ends the servers that it has started.
exec timeout --signal=INT --kill-after=60 3600 python -m pytest tests/faults -m faults "$@"
