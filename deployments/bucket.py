"""Make the store's bucket ready: it exists, and uploads that nobody finished do not stay in it.

An upload that was cut off is invisible, and paid for until somebody ends it. The store ends it by
the rule in s3-lifecycle.json, which may also be given to any S3 client as it is.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import botocore.exceptions
import s3fs

from tasks.artifacts.s3 import error_code
from tasks.errors import StoreError

RULE = json.loads((Path(__file__).parent / "s3-lifecycle.json").read_text())["Rules"][0]
FAILURES = (OSError, botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError)
LOG = logging.getLogger(__name__)


def prepare_bucket(uri: str) -> None:
    """Create the bucket of an s3:// store if there is none, and give it the rule.

    A store that refuses the rule is a line in the log; one that has no bucket and makes none is a
    StoreError. Other schemes have no bucket.
    """
    if not uri.startswith("s3://"):
        return
    bucket, _, prefix = uri.removeprefix("s3://").rstrip("/").partition("/")
    files = s3fs.S3FileSystem(use_listings_cache=False, skip_instance_cache=True)
    _create(files, bucket)
    try:
        _give_rule(files, bucket, f"{prefix}/" if prefix else "")
    except FAILURES as error:
        LOG.warning(
            "the store of bucket %s refuses the rule that ends unfinished uploads (%s)",
            bucket,
            error_code(error) or type(error).__name__,
        )


def _create(files: s3fs.S3FileSystem, bucket: str) -> None:
    try:
        if not files.exists(bucket):
            files.call_s3("create_bucket", Bucket=bucket)
    except FAILURES as error:
        raise StoreError(
            f"bucket {bucket} is not there and cannot be made "
            f"({error_code(error) or type(error).__name__}); check AWS_ENDPOINT_URL and the "
            "credentials, or make it by hand"
        ) from error


def _give_rule(files: s3fs.S3FileSystem, bucket: str, prefix: str) -> None:
    """Add or renew this store's rule; rules that others made stay."""
    rule = RULE | {"ID": f"{RULE['ID']} {prefix}".strip(), "Filter": {"Prefix": prefix}}
    present = _rules(files, bucket)
    if rule in present:
        return
    others = [one for one in present if one.get("ID") != rule["ID"]]
    files.call_s3(
        "put_bucket_lifecycle_configuration",
        Bucket=bucket,
        LifecycleConfiguration={"Rules": [*others, rule]},
    )


def _rules(files: s3fs.S3FileSystem, bucket: str) -> list[dict[str, Any]]:
    try:
        return list(files.call_s3("get_bucket_lifecycle_configuration", Bucket=bucket)["Rules"])
    except FAILURES as error:
        if error_code(error) == "NoSuchLifecycleConfiguration":
            return []
        raise
