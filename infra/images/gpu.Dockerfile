# Who holds a model: torch for CUDA, vLLM, TRL. Models are not in it: they come from the store.
# Build from the project's root: docker build --file infra/images/gpu.Dockerfile .
# It was never built: no container engine runs where it was written; hadolint reads it in tests/infra.
FROM python:3.11.16-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b AS build
WORKDIR /build
COPY infra/requirements/worker.txt ./
RUN python -m venv /opt/hotfixr \
 && /opt/hotfixr/bin/pip install --no-cache-dir --no-deps --require-hashes --requirement worker.txt
COPY pyproject.toml README.md LICENSE ./
COPY tasks ./tasks
COPY flows ./flows
COPY deployments ./deployments
RUN /opt/hotfixr/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11.16-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="hotfixr-gpu" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
# Triton compiles kernels when they are first used. Debian keeps no older versions of a package, so
# one that is pinned here could not be installed after its next update.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends gcc libc6-dev \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --create-home hotfixr \
 && install --directory --owner=10001 --group=10001 /var/lib/hotfixr
COPY --from=build /opt/hotfixr /opt/hotfixr
# The CUDA libraries are Python packages; the driver is what the container runtime puts in.
ENV PATH=/opt/hotfixr/bin:$PATH PYTHONUNBUFFERED=1 PREFECT_HOME=/home/hotfixr/.prefect \
    HOTFIXR_CACHE=/var/lib/hotfixr NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
WORKDIR /home/hotfixr
USER 10001:10001
CMD ["hotfixr", "--help"]
