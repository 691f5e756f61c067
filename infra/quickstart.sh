#!/usr/bin/env bash
# From nothing to a report: install, start the local stack, run the quickstart recipe through its
# deployment. Leaves the stack running; run it again and everything is reused.
set -euo pipefail
cd "$(dirname "$0")/.."
bash infra/install.sh
export PATH="$PWD/.venv/bin:$PATH" PYTHONUNBUFFERED=1
hotfixr up
hotfixr trigger "${1:-quickstart}"
hotfixr show
echo "The stack goes on running; hotfixr status says where, hotfixr down stops it."
