import pytest

from tasks.errors import BadInput
from tasks.models.references import Reference, parse_reference


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("hf:Qwen/Qwen2.5-7B", Reference("hf", "Qwen/Qwen2.5-7B")),
        ("hf:org/m@v1.0/x", Reference("hf", "org/m", "v1.0/x")),
        ("file:/models/a:b@c", Reference("file", "/models/a:b@c")),
        ("step:train-student/fr", Reference("step", "train-student/fr")),
        ("bundled:gemma-3-270m", Reference("bundled", "gemma-3-270m")),
        ("bundled:tiny-random", Reference("bundled", "tiny-random")),
        ("endpoint:lab/meta/llama-3@x", Reference("endpoint", "lab/meta/llama-3@x")),
        ("simulated:base", Reference("simulated", "base")),
        ("simulated:slope-0.85-mean-0.70", Reference("simulated", "slope-0.85-mean-0.70")),
        ("simulated:slope-1-mean-0.5", Reference("simulated", "slope-1-mean-0.5")),
    ],
)
def test_each_form_is_read_and_written_back(text: str, reference: Reference) -> None:
    assert parse_reference(text) == reference
    assert str(reference) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "hf:", "hf:Qwen", "hf:a/b/c", "hf:a/b@", "hf:a b/c", "file:", "step:", "bundled:gpt2",
        "endpoint:lab", "endpoint:/m", "endpoint:lab/", "simulated:", "simulated:nobody", "s3://b/m",
        "HF:a/b", "simulated:slope-1.1-mean-0.5", "simulated:slope-0.5-mean-0", "simulated:slope-1",
        "simulated:slope-0.5-mean-1", "simulated:slope--0.5-mean-0.5",
        "simulated:slope-0.5-mean-0.0",
    ],
)  # fmt: skip
def test_anything_else_is_one_sentence_with_the_value_and_the_forms(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_reference(text)
    sentence = str(caught.value)
    assert repr(text) in sentence
    assert "hf:ORG/NAME[@REV]" in sentence
    assert "slope-S-mean-M (S from 0 to 1, M between 0 and 1" in sentence
    assert "\n" not in sentence
