"""Ports that nobody listens on."""

from __future__ import annotations

import socket

from deployments.stack import HOST


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
