"""Formulas: which one a text gives, what it means, and that comparing ends."""

from __future__ import annotations

import time

import pytest

from tasks.grading import check_gold, grade
from tasks.grading.math import is_formula, read_formula


@pytest.mark.parametrize(
    ("code", "gold", "text"),
    [
        ("en", "\\frac{7}{8}", "\\boxed{\\frac{7}{8}}"),
        ("en", "\\frac{7}{8}", "\\boxed{0.875}"),
        ("en", "0.875", "\\boxed{\\dfrac{7}{8}}"),
        ("en", "\\frac78", "7/8"),
        ("en", "\\frac{15}{8}", "It is 1 7/8"),
        ("en", "x^2-9", "$(x-3)(x+3)$"),
        ("en", "3\\sqrt{2}", "\\boxed{\\sqrt{18}}"),
        ("en", "x=6", "\\boxed{6}"),
        ("en", "\\{1,4\\}", "\\boxed{\\{4,1\\}}"),
        ("en", "(2,5]", "\\boxed{(2, 5]}"),
        ("en", "2^{12}", "4096"),
        ("en", "8!", "\\boxed{40320}"),
        ("en", "19", "**19**"),
        ("en", "19", "First \\boxed{17}, but no: \\boxed{19}"),
        ("en", "19", "The answer is 19, not 17."),
        ("en", "19", "\\boxed{19\\text{ km}}"),
        ("en", "4200", "\\boxed{4,200}"),
        ("de", "4200", "\\boxed{4.200}"),
        ("de", "4.2", "Die Antwort ist 4,2"),
        ("es", "4.2", "La respuesta es $4,2$ metros"),
        ("pt", "19", "A resposta é 19 metros."),
        ("ar", "19", "\\boxed{١٩}"),
        ("zh", "x^3", "答案是$x^3$，不是$x^2$。"),
        ("en", "2.718", "\\boxed{2.718}"),
        ("en", "\\int_0^1 f", "\\boxed{\\int_0^1 f}"),  # as it is written
    ],
)
def test_equal_formulas_are_right(code: str, gold: str, text: str) -> None:
    assert grade("math", code, gold, text).status == "right"


@pytest.mark.parametrize(
    ("code", "gold", "text"),
    [
        ("en", "1", "1 7/8"),
        ("en", "1", "\\boxed{1\\frac{7}{8}}"),
        ("de", "42", "\\boxed{4,2}"),
        ("de", "4.2", "\\boxed{4.200}"),
        ("en", "(2,5]", "\\boxed{(2,5)}"),
        ("en", "(2,5)", "\\boxed{(5,2)}"),
        ("en", "6", "\\boxed{-6}"),
        ("en", "x^2", "\\boxed{x^3}"),
    ],
)
def test_other_formulas_are_wrong(code: str, gold: str, text: str) -> None:
    assert grade("math", code, gold, text).status == "wrong"


@pytest.mark.parametrize("text", ["I would rather not say.", "\\boxed{}"])
def test_no_formula_is_no_answer(text: str) -> None:
    assert grade("math", "en", "6", text).status == "unparsed"


def test_braces_in_a_box_are_matched() -> None:
    assert read_formula("\\boxed{\\frac{a}{\\sqrt{b}}} and so on }", "en") == "\\frac{a}{\\sqrt{b}}"


@pytest.mark.parametrize(
    "formula",
    [
        "8^{8^{8^8}}",
        "2**2**2**2**2**2",
        "3^{999999999}",
        "99999!",
        "7!!!!",
        "\\binom{900000}{450000}",
        "(a+b+c+d)^{150}",
        "(a+b+c+d+e+f)^{18}",
        "((((x+1)^9+1)^9+1)^9+1)^9",
        "\\Gamma(10^9)",
        "\\sum_{k=1}^{999999} \\frac{1}{k^k}",
        "\\int_0^1 e^{x^{x^x}} dx",
        "(" * 90 + "1" + ")" * 90,
        "1+" * 1500 + "1",
    ],
)
@pytest.mark.parametrize("shown", ["\\boxed{%s}", "The answer is $%s$.", "So it is %s"])
def test_no_formula_keeps_the_grader_busy(formula: str, shown: str) -> None:
    start = time.process_time()
    grade("math", "en", "\\sqrt{5} + x", shown % formula)
    assert time.process_time() - start < 3.0  # seconds; without care some would take hours


def test_a_formula_is_told_from_a_sentence() -> None:
    assert is_formula("x^2 + 1") and is_formula("\\frac{1}{2}")
    assert not is_formula("the square of x") and not is_formula("seven")


@pytest.mark.parametrize(
    "formula",
    ["12\\pi", "x^2+1", "\\frac{\\sqrt{3}}{2}", "2\\sqrt{2}+1", "[0, \\infty)", "\\{1,2\\}"],
)
def test_a_formula_that_is_the_whole_answer_is_read_as_it_stands(formula: str) -> None:
    assert grade("math", "en", formula, formula).status == "right"
    assert check_gold("math", "en", formula) is None


def test_a_gold_formula_is_put_to_the_grader_in_a_box() -> None:
    for gold in ("(3,4)", "y = 2x+3", "B", "\\text{even}", "n(n+1)/2"):
        assert check_gold("math", "en", gold) is None, gold
