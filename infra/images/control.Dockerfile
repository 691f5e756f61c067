# Who serves and starts runs: Prefect server, control worker, S3 server, reports. No models, no torch.
# Build from the project's root: docker build --file infra/images/control.Dockerfile .
# It was never built: no container engine runs where it was written; hadolint reads it in tests/infra.
FROM python:3.11.16-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b AS build
WORKDIR /build
COPY infra/requirements/control.txt ./
RUN python -m venv /opt/hotfixr \
 && /opt/hotfixr/bin/pip install --no-cache-dir --no-deps --require-hashes --requirement control.txt
COPY pyproject.toml README.md LICENSE ./
COPY tasks ./tasks
COPY flows ./flows
COPY deployments ./deployments
RUN /opt/hotfixr/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11.16-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="hotfixr-control" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
# Volumes that are mounted there take this folder's owner over.
RUN useradd --uid 10001 --create-home hotfixr \
 && install --directory --owner=10001 --group=10001 /var/lib/hotfixr
COPY --from=build /opt/hotfixr /opt/hotfixr
ENV PATH=/opt/hotfixr/bin:$PATH PYTHONUNBUFFERED=1 PREFECT_HOME=/home/hotfixr/.prefect
WORKDIR /home/hotfixr
USER 10001:10001
CMD ["hotfixr", "--help"]
