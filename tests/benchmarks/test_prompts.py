"""What a model is asked: labels, examples, shuffled options, independent seeds."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from tasks.benchmarks import BENCHMARKS, load_items
from tasks.benchmarks.prompts import Asked, Form, ask, stops
from tasks.errors import BadInput
from tasks.languages import HELD_OUT, LANGUAGES, TRAINED

OURS = (*TRAINED, *HELD_OUT)
BUNDLED = ("facts", "multihop", "numbers", "translation", "sums")
CELLS = [(name, code) for name in BUNDLED for code in OURS if BENCHMARKS[name].has(code)]
FORMS: tuple[Form, ...] = ("completion", "chat")


def asked(
    name: str, code: str, *, form: Form = "completion", few_shot: int = 3, items: int = 4,
    samples: int = 3, seed: int = 0,
) -> list[Asked]:  # fmt: skip
    table = load_items(name, "bundled", code, items).items
    return ask(name, table, code, form=form, few_shot=few_shot, samples=samples, seed=seed)


@pytest.mark.parametrize("name", BUNDLED)
def test_every_item_is_asked_once_per_sample_in_the_items_order(name: str) -> None:
    ids = load_items(name, "bundled", "es", 4).items["item_id"].to_pylist()
    pairs = [(one.item_id, one.sample) for one in asked(name, "es")]
    assert pairs == [(item, sample) for item in ids for sample in range(3)]


@pytest.mark.parametrize(("name", "code"), CELLS)
def test_a_completion_prompt_ends_in_the_answer_label_without_a_blank(name: str, code: str) -> None:
    row = LANGUAGES[code]
    word = "English" if name == "translation" else row.answer_word
    for one in asked(name, code):
        assert one.prompt.text.endswith(f"\n{word}{row.colon.rstrip()}")
        assert one.prompt.messages is None


@pytest.mark.parametrize(("name", "code"), CELLS)
def test_examples_come_first_and_are_shared_by_all_prompts(name: str, code: str) -> None:
    texts = [one.prompt.text for one in asked(name, code)]
    examples = [example.question for example in BENCHMARKS[name].examples(code)]
    shared, _, _ = texts[0].rpartition("\n\n")
    assert shared.startswith(LANGUAGES[code].instructions[BENCHMARKS[name].kind])
    assert all(text.startswith(shared) for text in texts)
    assert [shared.count(example) for example in examples] == [1, 1, 1]


@pytest.mark.parametrize("few_shot", [0, 1, 2, 3])
@pytest.mark.parametrize("form", FORMS)
def test_so_many_examples_as_asked_for(form: Form, few_shot: int) -> None:
    prompt = asked("numbers", "it", form=form, few_shot=few_shot)[0].prompt
    told = prompt.text + "\n".join(one["content"] for one in prompt.messages or ())
    assert told.count("Domanda: ") == few_shot + 1


def test_more_examples_than_there_are_is_bad_input() -> None:
    with pytest.raises(BadInput, match="few_shot is 4, but benchmark 'facts' has 3 examples"):
        asked("facts", "fr", few_shot=4)


@pytest.mark.parametrize("name", BUNDLED)
def test_a_chat_alternates_turns_and_instructs_once(name: str) -> None:
    messages = asked(name, "ru", form="chat", few_shot=2)[0].prompt.messages or ()
    assert [one["role"] for one in messages] == ["user", "assistant"] * 2 + ["user"]
    instruction = LANGUAGES["ru"].instructions[BENCHMARKS[name].kind]
    assert [instruction in one["content"] for one in messages] == [True] + [False] * 4


@pytest.mark.parametrize("code", ["bn", "sw", "te", "th"])
def test_languages_without_own_examples_show_the_english_ones_under_their_labels(code: str) -> None:
    items = load_items("sums", "bundled", code, 1).items
    [one] = ask("mgsm", items, code, form="completion", few_shot=3, samples=1, seed=0)
    english = BENCHMARKS["mgsm"].examples("en")
    for example in english:
        label = f"{LANGUAGES[code].question_word}{LANGUAGES[code].colon}"
        assert f"{label}{example.question}" in one.prompt.text


def test_decimals_of_examples_and_hints_are_written_the_languages_way() -> None:
    table = load_items("numbers", "bundled", "de").items
    rows = {row["item_id"]: row["gold"][0] for row in table.to_pylist()}
    prompts = ask("numbers", table, "de", form="completion", few_shot=0, samples=1, seed=0)
    hints = {one.item_id: one.prompt.hint for one in prompts}
    fractional = [item for item, gold in rows.items() if "." in gold]
    assert fractional
    for item in fractional:
        hint = hints[item]
        assert hint is not None and hint.right == rows[item].replace(".", ",")


@pytest.mark.parametrize("code", OURS)
def test_options_are_shown_in_the_order_that_is_stored(code: str) -> None:
    options = {
        row["item_id"]: row for row in load_items("facts", "bundled", code).items.to_pylist()
    }
    for one in asked("facts", code):
        assert one.order is not None and one.letters == ("A", "B", "C", "D")
        published = options[one.item_id]["options"]
        lines = [f"{x}) {published[at]}" for x, at in zip(one.letters, one.order, strict=True)]
        assert "\n".join(lines) in one.prompt.text


def test_the_hinted_letter_stands_beside_the_published_answer() -> None:
    for one in asked("facts", "ar", items=24):
        row = load_items("facts", "bundled", "ar").items.to_pylist()
        [item] = [each for each in row if each["item_id"] == one.item_id]
        right = item["options"]["ABCD".index(item["gold"][0])]
        hint = one.prompt.hint
        assert hint is not None and hint.key == f"facts/{one.item_id}"
        assert f"\n{hint.right}) {right}\n" in one.prompt.text
        assert sorted([hint.right, *hint.wrong]) == ["A", "B", "C", "D"]


def test_shuffles_differ_over_samples_languages_and_seeds() -> None:
    orders = {
        (code, seed): [one.order for one in asked("facts", code, items=27, seed=seed)]
        for code in OURS
        for seed in (0, 1)
    }
    assert len({tuple(listed) for listed in orders.values()}) == len(orders)
    first, second, third = (orders["en", 0][sample::3] for sample in range(3))
    assert first != second != third != first


def test_shuffles_of_two_languages_agree_no_more_than_by_chance() -> None:
    letters = {
        code: [one.prompt.hint and one.prompt.hint.right for one in asked("facts", code, items=27)]
        for code in OURS
    }
    for one, other in combinations(OURS, 2):
        pairs = zip(letters[one], letters[other], strict=True)
        assert sum(a == b for a, b in pairs) / len(letters[one]) < 0.5


def test_the_right_letter_is_spread_evenly() -> None:
    prompts = asked("facts", "en", items=27, samples=20)
    spread = Counter(one.prompt.hint.right for one in prompts if one.prompt.hint)
    assert min(spread.values()) > 0.2 * len(prompts)


@pytest.mark.parametrize("form", FORMS)
def test_the_same_seed_asks_the_same(form: Form) -> None:
    assert asked("facts", "pt", form=form, seed=7) == asked("facts", "pt", form=form, seed=7)


def test_orders_do_not_hang_on_which_other_items_are_asked() -> None:
    whole = {(one.item_id, one.sample): one for one in asked("facts", "zh", items=9)}
    assert all(whole[one.item_id, one.sample] == one for one in asked("facts", "zh", items=2))


def test_every_sample_in_every_language_has_a_seed_of_its_own() -> None:
    seeds = [
        one.prompt.seed
        for name in ("facts", "numbers", "sums")
        for code in OURS
        for run in (0, 1)
        for one in asked(name, code, items=20, samples=4, seed=run)
    ]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert max(seeds) > 2**61


@pytest.mark.parametrize("name", ["numbers", "multihop", "translation", "sums"])
def test_samples_without_options_share_one_prompt(name: str) -> None:
    prompts = asked(name, "fr", items=2, samples=5)
    assert len({one.prompt.text for one in prompts}) == 2
    assert {(one.order, one.letters) for one in prompts} == {(None, None)}


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_completion_stops_at_its_line_or_at_a_new_question(code: str) -> None:
    line, *labels = stops("completion")
    assert line == "\n"
    items = load_items("sums", "bundled", code, 1).items
    [one] = ask("sums", items, code, form="completion", few_shot=0, samples=1, seed=0)
    assert sum(one.prompt.text.count(label) for label in labels) == 1
    assert stops("chat") == ()


def test_no_right_answer_holds_a_stop_string() -> None:
    for name, code in CELLS:
        for one in asked(name, code, items=27, samples=1):
            right = one.prompt.hint.right if one.prompt.hint else ""
            assert right and not any(stop in right for stop in stops("completion"))


def test_paragraphs_stand_before_their_question() -> None:
    [row] = load_items("multihop", "bundled", "de", 1).items.to_pylist()
    [one] = asked("multihop", "de", items=1, samples=1, few_shot=0)
    places = [one.prompt.text.index(text) for text in (*row["context"], row["question"])]
    assert places == sorted(places)
    assert f"{LANGUAGES['de'].context_word}: {row['context'][0]}" in one.prompt.text
