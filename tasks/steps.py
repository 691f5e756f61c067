"""The steps, in the order of the DAG."""

from __future__ import annotations

from tasks import (
    evaluate,
    generate_questions,
    label_questions,
    prepare_data,
    prepare_models,
    report,
    score,
    train_generator,
    train_student,
)
from tasks.compute.step import Step

STEPS: dict[str, Step] = {
    module.STEP.name: module.STEP
    for module in (
        prepare_data,
        prepare_models,
        train_generator,
        generate_questions,
        label_questions,
        train_student,
        evaluate,
        score,
        report,
    )
}
