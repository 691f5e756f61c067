#!/usr/bin/env bash
# Make .venv at the project's root and install exactly what the lock says. Run it again at will.
#   HOTFIXR_LOCK=gpu bash infra/install.sh        on a CUDA machine (default: cpu)
set -euo pipefail
cd "$(dirname "$0")/.."
lock=infra/requirements/${HOTFIXR_LOCK:-cpu}.txt
python=${PYTHON:-python3}
# Where the CPU build of torch is published, if no configured index or wheel folder has it.
torch_index=${HOTFIXR_TORCH_INDEX:-https://download.pytorch.org/whl/cpu}

[ -f "$lock" ] || { echo "no lock $lock; HOTFIXR_LOCK is cpu or gpu" >&2; exit 2; }
"$python" -c 'import sys; sys.exit(not sys.version_info[:2] == (3, 11))' ||
  { echo "The locks are for Python 3.11; name it: PYTHON=python3.11 bash $0" >&2; exit 2; }
[ -x .venv/bin/python ] || "$python" -m venv .venv

# The metadata of vLLM and Prefect contradict each other about fastapi; the lock was made with
# that in mind, so nothing is resolved here.
locked() { .venv/bin/pip install --quiet --no-deps --require-hashes -r "$lock" "$@"; }
sum=$(sha256sum "$lock" pyproject.toml | sha256sum)
if [ "$(cat .venv/installed 2>/dev/null)" != "$sum" ]; then
  if [ "$lock" = infra/requirements/cpu.txt ]; then
    locked || { echo "once more, with $torch_index"; locked --extra-index-url "$torch_index"; }
  else
    locked
  fi
  .venv/bin/pip install --quiet --no-deps --no-build-isolation --editable .
  .venv/bin/python infra/check_install.py "${HOTFIXR_LOCK:-cpu}"
  echo "$sum" > .venv/installed
fi
