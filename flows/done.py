"""What a run has so far."""

from collections.abc import Mapping

from tasks.artifacts.records import Manifest

Done = Mapping[str, Manifest]  # label of a node -> what it came to
