"""The report of a run: one page and its tables."""

from tasks.reporting.content import Report
from tasks.reporting.page import write_report

__all__ = ["Report", "write_report"]
