"""The report of students x methods x seeds: the paper's tables and figures, ours beside them."""

from tasks.reporting.methods.content import MethodsReport
from tasks.reporting.methods.page import write_methods_report

__all__ = ["MethodsReport", "write_methods_report"]
