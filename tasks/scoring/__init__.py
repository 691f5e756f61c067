"""Scores of graded samples: HAT and the other transfer scores, intervals, differences, spread.

    from tasks.scoring import score
    scored = score(grades, source="en", pairs=[("student", "base")])

The estimators are functions of `Pairs` of per-item sums:

    hat_corrected(pairs(s_sum, s_squares, s_n, t_sum, t_n)).value()
"""

from tasks.scoring.comparisons import (
    Avoided,
    Tally,
    deltas_and_wins,
    forgetting_avoided,
    r2_coupling,
)
from tasks.scoring.exclusion import read_exclusion
from tasks.scoring.intervals import bca, fieller, jackknife, percentile, resample_counts
from tasks.scoring.model_facts import ModelFacts
from tasks.scoring.pass_rates import PassRates, pass_rates
from tasks.scoring.score import Scored, score
from tasks.scoring.spread import spreads
from tasks.scoring.statistics import Statistic
from tasks.scoring.transfer import (
    Pairs,
    hat,
    hat_chance_corrected,
    hat_corrected,
    hat_integral,
    pairs,
    profile_curvature,
    ratio_of_means,
    source_accuracy,
    target_accuracy,
    transfer_conditional,
    transfer_joint,
    without_source_pass,
    xlt_gap,
)

__all__ = [
    "Avoided",
    "ModelFacts",
    "Pairs",
    "PassRates",
    "Scored",
    "Statistic",
    "Tally",
    "bca",
    "deltas_and_wins",
    "fieller",
    "forgetting_avoided",
    "hat",
    "hat_chance_corrected",
    "hat_corrected",
    "hat_integral",
    "jackknife",
    "pairs",
    "pass_rates",
    "percentile",
    "profile_curvature",
    "r2_coupling",
    "ratio_of_means",
    "read_exclusion",
    "resample_counts",
    "score",
    "source_accuracy",
    "spreads",
    "target_accuracy",
    "transfer_conditional",
    "transfer_joint",
    "without_source_pass",
    "xlt_gap",
]
