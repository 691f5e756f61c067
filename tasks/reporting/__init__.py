"""The reports: one page and its tables, of one student or of many models."""

from tasks.reporting.comparison import ModelsReport, write_models_report
from tasks.reporting.content import Report
from tasks.reporting.page import write_report

__all__ = ["ModelsReport", "Report", "write_models_report", "write_report"]
