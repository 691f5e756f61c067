"""Scores of graded samples: HAT and the other transfer scores, intervals, differences, spread.

from tasks.scoring import score
scored = score(grades, source="en", pairs=[("student", "base")])
"""

from tasks.scoring.score import Scored, score

__all__ = ["Scored", "score"]
