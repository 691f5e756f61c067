"""Models behind an OpenAI-compatible address: asked a bounded number of questions at a time.

Each sample is a request of its own. Answers are kept in the store as they come, so that whatever
ends this process costs at most one piece of them, and are never asked for again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import aiohttp

from tasks.artifacts.journal import Kept
from tasks.errors import HotfixrError
from tasks.models.endpoint_address import address
from tasks.models.endpoint_answers import Reply, completion, request_body
from tasks.models.endpoint_client import Client, Stopped
from tasks.models.endpoint_pieces import Pieces, Sample, name_samples
from tasks.models.endpoint_retries import Backoff
from tasks.models.endpoint_spending import Spending
from tasks.models.engine import Completion, Prompt, Sampling
from tasks.models.machine import EndpointSettings


class EndpointEngine:
    """A model that somebody else serves."""

    name = "endpoint"

    def __init__(
        self, model: str, settings: EndpointSettings, kept: Kept, backoff: Backoff | None = None
    ) -> None:
        """Nothing is contacted yet.

        Args:
            model: NAME/MODEL; the worker's environment says where NAME is.
            settings: how it is asked, and what its answers may cost.
            kept: where answers are found and kept.
            backoff: the waits between tries.
        """
        name, _, self._model = model.partition("/")
        self._at = address(name)
        self._settings = settings
        self._kept = kept
        self._backoff = backoff or Backoff()
        self._spending = Spending(settings, kept.prompt_tokens, kept.completion_tokens)
        self._recalled: set[str] = set()  # parts whose journals were read
        self._answers: dict[str, Completion] = {}
        self._served: set[str] = set()
        self.device = name

    def complete(
        self, prompts: Sequence[Prompt], sampling: Sampling, seed: int
    ) -> list[list[Completion]]:
        """Completions in the order of the prompts, `sampling.n` each; seeds only name samples.

        What was answered when an error is raised is kept.

        Raises:
            BadInput: the endpoint refuses the request; WrongWorker: it refuses the key.
            EndpointSilent: a request got no answer in all its tries.
            BudgetSpent: before the last answer.
        """
        requests = name_samples(prompts, sampling)
        for part in {prompt.part for prompt in prompts} - self._recalled:
            self._recall(part)
        missing = [one for one in requests if one.key not in self._answers]
        if missing:
            asyncio.run(self._ask_all(missing, sampling))
        drawn = iter([self._answers.pop(one.key) for one in requests])
        return [[next(drawn) for _ in range(sampling.n)] for _ in prompts]

    def close(self) -> None:
        """Nothing is held."""

    def _recall(self, part: str) -> None:
        """Take in the answers of an earlier attempt."""
        self._recalled.add(part)
        for key, fields in self._kept.journal(part).read().items():
            self._answers[key] = Completion(**fields)
            self._spending.add(self._answers[key])

    async def _ask_all(self, missing: list[Sample], sampling: Sampling) -> None:
        """Ask so many at a time; the first failure, when the others have come to their end."""
        client = Client(self._at, self._model, self._settings, self._backoff)
        pieces = Pieces(self._kept)
        waiting = iter(missing)
        failures: list[HotfixrError] = []

        async def work(session: aiohttp.ClientSession) -> None:
            while not client.stopping.is_set() and (sample := next(waiting, None)):
                try:
                    self._spending.check()
                    reply = await client.ask(
                        session, request_body(self._model, sample.prompt, sampling)
                    )
                    self._take(sample, reply, sampling, pieces)
                    await pieces.write_full()
                except HotfixrError as error:
                    failures.append(error)
                    client.stopping.set()
                except Stopped:
                    return

        try:
            async with client.session() as session, asyncio.TaskGroup() as workers:
                for _ in range(min(self._settings.concurrency, len(missing))):
                    workers.create_task(work(session))
        finally:
            pieces.write()
        if failures:
            raise failures[0]

    def _take(self, sample: Sample, reply: Reply, sampling: Sampling, pieces: Pieces) -> None:
        answer = completion(reply, sample.prompt, sampling.stop)
        self._served.add(reply.model or self._model)
        self.device = f"{self._at.name} serving {', '.join(sorted(self._served))}"
        self._answers[sample.key] = answer
        self._spending.add(answer)
        pieces.add(sample, answer)
