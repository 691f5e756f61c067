"""Where an endpoint is and the key that opens it, bound together in the worker's environment.

A recipe names an endpoint and never its address: otherwise whoever fills in a form could have a
key sent anywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from tasks.errors import WrongWorker

VARIABLE = re.compile(r"HOTFIXR_ENDPOINT_([A-Z0-9_]+)_(URL|KEY)")


@dataclass(frozen=True)
class Address:
    """A base URL such as https://host/v1, and its key, which nothing prints."""

    name: str
    url: str
    key: str = field(repr=False)


def variable(name: str, what: str) -> str:
    """The environment variable that holds an endpoint's URL or KEY."""
    return f"HOTFIXR_ENDPOINT_{name.upper().replace('-', '_')}_{what}"


def address(name: str, environment: Mapping[str, str] = os.environ) -> Address:
    """The address and key of an endpoint. Raises WrongWorker where this worker has none."""
    found = {what: environment.get(variable(name, what), "").strip() for what in ("URL", "KEY")}
    for what, value in found.items():
        if not value:
            raise WrongWorker(
                f"endpoint {name!r} is not known to this worker; set {variable(name, what)} in its"
                " environment"
            )
    # The HTTP library would quote a header that it refuses.
    if not all("!" <= letter <= "~" for letter in found["KEY"]):
        raise WrongWorker(
            f"{variable(name, 'KEY')} holds blanks or letters that are no part of a key; set it to"
            " the key alone"
        )
    _check_url(name, found["URL"])
    return Address(name, found["URL"].rstrip("/"), found["KEY"])


def known_endpoints(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Names of the endpoints that the environment speaks of, as `address` takes them."""
    found = (VARIABLE.fullmatch(name) for name in environment)
    return sorted({match[1].lower() for match in found if match})


def _check_url(name: str, url: str) -> None:
    """Keys travel encrypted, or do not leave this machine."""
    parts = urlsplit(url)
    secure = parts.scheme == "https" or (parts.scheme == "http" and _loopback(parts.hostname or ""))
    if not secure or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise WrongWorker(
            f"{variable(name, 'URL')} must be https://HOST/PATH, or http:// on this machine's"
            " loopback, with neither user nor query in it"
        )


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
