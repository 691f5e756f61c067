"""The errors that people see. Each message is one sentence: the thing, the value, what to do.

    HotfixrError
    +-- BadInput            a recipe, an option, a file or a reference must be changed
    |   +-- WrongWorker     this machine cannot do what the spec asks for (engine, version, device)
    +-- DiskFull            no space for scratch files or models on this machine
    +-- StoreError          the artifact store
    |   +-- StoreUnreachable   no answer, or a refusal that may pass (retried)
    |   +-- StoreRefused       wrong credentials, no permission
    |   |   +-- BucketMissing      there is no such bucket
    |   +-- PartMissing        a part that a manifest names is not there
    |   +-- PartDamaged        size or checksum differs from what its part.json says
    +-- StepFailed          a step of a run ended without its parts
        +-- ComputeCrashed     the compute process died (signal, native crash; retried)
        +-- OutOfMemory        the compute process ran out of memory
        +-- StepCancelled      a person cancelled it
        +-- EndpointSilent     an endpoint gave no answer after every retry (retried)
        +-- BudgetSpent        an endpoint's answers have cost what they may

`retryable` says whether the same call may go through later without anybody changing anything.
"""

from __future__ import annotations


class HotfixrError(Exception):
    """Base of every error whose message is meant for the person at the keyboard."""

    retryable = False


class BadInput(HotfixrError):
    """Something that a person wrote must be changed."""


class WrongWorker(BadInput):
    """This machine cannot honour the spec: another engine, device or package version is needed."""


class DiskFull(HotfixrError):
    """This machine has no space left for what it works on; what is published stays."""


class StoreError(HotfixrError):
    """The artifact store did not do what was asked."""


class StoreUnreachable(StoreError):
    """The store gave no answer, or one that may be different later."""

    retryable = True


class StoreRefused(StoreError):
    """The store answered no: credentials, bucket or permission."""


class BucketMissing(StoreRefused):
    """The store has no bucket of this name."""


class PartMissing(StoreError):
    """A part that a manifest names is not in the store."""


class PartDamaged(StoreError):
    """A part's bytes are not the ones that its part.json describes."""


class StepFailed(HotfixrError):
    """A step ended without all of its parts."""


class ComputeCrashed(StepFailed):
    """The compute process died without a word: a signal, a native crash."""

    retryable = True


class OutOfMemory(StepFailed):
    """The compute process ran out of memory; the same call would do so again."""


class StepCancelled(StepFailed):
    """A person cancelled the run of this step."""


class EndpointSilent(StepFailed):
    """An endpoint gave no answer after every retry; what it had answered is kept."""

    retryable = True


class BudgetSpent(StepFailed):
    """An endpoint's answers have cost what they may; a person must raise the budget."""
