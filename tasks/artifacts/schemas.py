"""The columns of every table that travels between steps; writing anything else fails."""

from __future__ import annotations

import pyarrow as pa

TEXT = pa.string()
TEXTS = pa.list_(pa.string())

# One row per benchmark item and language.
ITEMS = pa.schema(
    [
        ("benchmark", TEXT),
        ("item_id", TEXT),  # the same in every language of a parallel benchmark
        ("language", TEXT),
        ("kind", TEXT),  # choice | number | span | math | translation | judge
        ("question", TEXT),
        ("context", TEXTS),  # paragraphs to answer from; empty where there are none
        ("options", TEXTS),  # choice only, in the published order; else null
        ("gold", TEXTS),  # accepted answers; for a choice the letter of the published order
        ("source_language", TEXT),  # null: no source language, so no transfer scores
        ("parallel", pa.bool_()),
        ("cluster", TEXT),  # resampling unit of the bootstrap; null: the item itself
        ("flags", TEXTS),  # why an item is known to be faulty; empty: none
    ]
)

# English rows that the question generator is shown and trained on.
SEEDS = pa.schema(
    [
        ("seed_id", TEXT),
        ("domain", TEXT),  # stem | math | chat
        ("question", TEXT),
        ("reasoning", TEXT),
        ("answer", TEXT),
    ]
)

# One row per question that was written, or drawn from real rows, kept or not.
QUESTIONS = pa.schema(
    [
        ("question_id", TEXT),
        ("seed_id", TEXT),
        ("language", TEXT),  # asked of the writer
        ("domain", TEXT),
        ("text", TEXT),  # everything that was written; null for a real row
        ("parsed", pa.bool_()),
        ("question", TEXT),
        ("reasoning", TEXT),
        ("answer", TEXT),
        ("detected_language", TEXT),
        ("kept", pa.bool_()),
        ("reason", TEXT),  # why it was not kept
        # Deficits of the student, where they chose; LSI between English and `lsi_language`.
        ("lai", pa.float64()),
        ("lsi", pa.float64()),
        ("lsi_language", TEXT),
    ]
)

# One row per kept question, with the teacher's consensus.
LABELS = pa.schema(
    [
        ("question_id", TEXT),
        ("language", TEXT),
        ("domain", TEXT),
        ("question", TEXT),
        ("reasoning", TEXT),  # of the medoid of the largest cluster
        ("answer", TEXT),
        ("answers", TEXTS),  # all k of them
        ("agreement", pa.float64()),  # size of the largest cluster / k
        ("kept", pa.bool_()),
        ("reason", TEXT),
    ]
)

# One row per logged number of a training step.
TRAINING_LOG = pa.schema(
    [
        ("step", pa.int32()),
        ("metric", TEXT),
        ("language", TEXT),  # null: over all languages
        ("value", pa.float64()),
    ]
)

# Whether a student's deficits go with what it gets wrong; one row per measure and cut.
VALIDITY = pa.schema(
    [
        ("measure", TEXT),  # lai_auroc | lsi_spearman
        ("benchmark", TEXT),  # null: over all
        ("language", TEXT),  # null: over all
        ("value", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("n_items", pa.int32()),
        ("n_questions", pa.int32()),  # an item is one in each language
        ("n_unmeasured", pa.int32()),  # questions without the deficit
        ("note", TEXT),  # what the interval says, or why there is none
    ]
)

# One row per generated completion of the generator's training.
ROLLOUTS = pa.schema(
    [
        ("step", pa.int32()),
        ("seed_id", TEXT),
        ("language", TEXT),
        ("completion", TEXT),
        ("format", pa.float64()),
        ("lai", pa.float64()),
        ("lsi", pa.float64()),
        ("lsi_null", pa.float64()),
        ("reason", TEXT),  # why a reward is missing
    ]
)

# One row per held-out prompt and generator, trained and untrained.
WRITTEN = pa.schema(
    [
        ("generator", TEXT),  # untrained | trained
        ("prompt", TEXT),  # the same for both
        ("seed_id", TEXT),
        ("language", TEXT),  # asked of the generator
        ("text", TEXT),
        ("format", pa.float64()),
        ("question", TEXT),  # null: the text does not parse
        ("detected_language", TEXT),
        ("repeated", pa.bool_()),  # nearly what the same generator wrote before
        ("passed", pa.bool_()),  # every gate
        ("lai", pa.float64()),
        ("lsi", pa.float64()),
        ("lsi_null", pa.float64()),
        ("reason", TEXT),  # why a reward is 0 or missing
    ]
)

# What training changed in a generator; one row per metric, cut, and generator or difference.
GAIN = pa.schema(
    [
        ("metric", TEXT),
        ("language", TEXT),  # null: over all
        ("generator", TEXT),  # untrained | trained | trained - untrained
        ("value", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("n_prompts", pa.int32()),
        ("n_values", pa.int32()),  # of these; the lesser one for a difference
        ("note", TEXT),  # why there is no value
    ]
)

# One row per model answer; all samples are kept.
ANSWERS = pa.schema(
    [
        ("benchmark", TEXT),
        ("item_id", TEXT),
        ("language", TEXT),
        ("sample", pa.int16()),
        ("seed", pa.int64()),  # of this sample, where the engine takes one
        ("call_seed", pa.int64()),  # of the call that drew it
        ("order", pa.list_(pa.int8())),  # choice: shown position -> published position
        ("letters", TEXTS),  # choice: the letters shown
        ("text", TEXT),
        ("finish_reason", TEXT),  # stop | length
        ("prompt_tokens", pa.int32()),
        ("completion_tokens", pa.int32()),
        ("reasoning_tokens", pa.int32()),
        ("temperature", pa.float64()),
    ]
)

# One row per response that a judge is asked about: answers, or the cases of its own check.
VERDICTS = pa.schema(
    [
        ("benchmark", TEXT),
        ("item_id", TEXT),
        ("language", TEXT),
        ("case", TEXT),  # answer | blank | shuffled | gold | wrong letter
        ("sample", pa.int16()),  # of an answer; null in a check
        ("response", TEXT),
        ("replies", TEXTS),  # every vote's whole text; empty where nobody was asked
        ("votes", pa.list_(pa.int8())),  # what each vote is worth; null where it cannot be read
        ("accepted", pa.bool_()),  # null: not asked, no vote can be read, or they tie
    ]
)

# One row per answer: by what published tables call it right. No other score is made of it.
PAPER_COMPAT = pa.schema(
    [
        ("benchmark", TEXT),
        ("item_id", TEXT),
        ("language", TEXT),
        ("sample", pa.int16()),
        ("similarity", pa.float64()),  # cosine to the nearest gold
        ("near", pa.bool_()),  # above the published threshold
        ("rated", pa.bool_()),  # 4 or 5 of 5; null: not asked, or not readable
    ]
)

# One row per translation that a metric of somebody else's was asked about.
PLUGGED = pa.schema(
    [
        ("benchmark", TEXT),
        ("item_id", TEXT),
        ("language", TEXT),
        ("sample", pa.int16()),
        ("metric", TEXT),
        ("score", pa.float64()),  # in the metric's own unit
    ]
)

# One row per graded answer; what other harnesses' logs are read into as well.
GRADES = pa.schema(
    [
        ("model", TEXT),
        ("benchmark", TEXT),
        ("item_id", TEXT),
        ("language", TEXT),
        ("source_language", TEXT),
        ("parallel", pa.bool_()),
        ("cluster", TEXT),
        ("sample", pa.int16()),
        ("status", TEXT),  # right | wrong | scored | unparsed | truncated | empty
        ("answer", TEXT),
        ("score", pa.float64()),  # in [0, 1]
        ("n_options", pa.int16()),
        ("completion_tokens", pa.int32()),
        ("reasoning_tokens", pa.int32()),
        ("temperature", pa.float64()),
        ("form", TEXT),  # how it was asked, such as "chat, 3 examples"; null: not stated
        ("flags", TEXTS),  # why the item is known to be faulty in this language; empty: none
    ]
)

# One row per model x benchmark x target x metric; `baseline` is set where the row is a difference.
SCORES = pa.schema(
    [
        ("model", TEXT),
        ("baseline", TEXT),
        ("benchmark", TEXT),
        ("source", TEXT),
        # A language code; mean | median | pooled; all (of spreads); same-script | other-script; a
        # difference of two of these, such as "de - ja".
        ("target", TEXT),
        ("metric", TEXT),
        ("value", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("interval", TEXT),  # bootstrap | fieller | jackknife; null: none
        ("n_items", pa.int32()),
        ("n_samples", pa.int32()),
        ("n_targets", pa.int32()),  # of a mean or median: defined targets
        ("coverage", pa.float64()),
        ("temperature", pa.float64()),
        ("note", TEXT),
    ]
)

# What is said over models, one row per statement; `published` is the range of the paper's figure.
ANALYSES = pa.schema(
    [
        ("analysis", TEXT),  # coupling | script | tokens | size | family | released | thinking
        ("benchmark", TEXT),
        ("metric", TEXT),
        ("group", TEXT),  # "from 2025", "other-script - same-script", "a model - another"
        ("value", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("n_models", pa.int32()),
        ("published_low", pa.float64()),
        ("published_high", pa.float64()),
        ("note", TEXT),
    ]
)

# The picture of a transfer profile: mean target pass rate given the observed source pass rate.
PROFILES = pa.schema(
    [
        ("model", TEXT),
        ("benchmark", TEXT),
        ("source", TEXT),
        ("target", TEXT),
        ("source_rate", pa.float64()),
        ("target_rate", pa.float64()),
        ("n_items", pa.int32()),
    ]
)
