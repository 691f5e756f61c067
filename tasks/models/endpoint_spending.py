"""What an endpoint's answers have cost, and when to stop asking."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.errors import BudgetSpent
from tasks.models.engine import Completion
from tasks.models.machine import EndpointSettings

MILLION = 1_000_000


@dataclass
class Spending:
    """Tokens of all answers of a step, whoever asked for them: a retry gets no fresh budget."""

    settings: EndpointSettings
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, answer: Completion) -> None:
        """Count an answer."""
        self.prompt_tokens += answer.prompt_tokens
        self.completion_tokens += answer.completion_tokens

    @property
    def tokens(self) -> int:
        """Prompts and completions together."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def money(self) -> float:
        """In the currency of the prices."""
        paid = self.prompt_tokens * self.settings.price_input
        return (paid + self.completion_tokens * self.settings.price_output) / MILLION

    def check(self) -> None:
        """Raise BudgetSpent if nothing is left for one more answer."""
        limits = self.settings.budget_tokens, self.settings.budget_money
        tokens, money = (float("inf") if limit is None else limit for limit in limits)
        if self.tokens < tokens and self.money < money:
            return
        name = "budget_tokens" if self.tokens >= tokens else "budget_money"
        raise BudgetSpent(
            f"machine.endpoint.{name} is spent ({self.tokens} tokens, {self.money:.2f} in money)"
            " and answers are still missing; those that came are kept: raise it and run again with"
            f" machine.endpoint.asked={self.settings.asked}"
        )
