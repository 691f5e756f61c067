"""The report of many models scored on the same benchmarks."""

from tasks.reporting.comparison.content import ModelsReport
from tasks.reporting.comparison.page import write_models_report

__all__ = ["ModelsReport", "write_models_report"]
