import json
from pathlib import Path

import pytest

from tasks.errors import BadInput
from tasks.models.engine import Prompt
from tasks.models.tokens import (
    before_stop,
    completion,
    encode_prompt,
    end_tokens,
    load_tokenizer,
    reasoning_tokens,
    stop_reached,
)

CHAT = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{{ '>' }}"


@pytest.mark.parametrize(
    "text", ["", "plain", "naïve 日本語 😀 عربي", "".join(map(chr, range(256)))]
)
def test_every_text_survives_the_byte_level_tokenizer_and_gets_one_bos(
    tiny_folder: Path, text: str
) -> None:
    tokenizer = load_tokenizer(tiny_folder)
    ids = encode_prompt(tokenizer, Prompt(text=text))
    assert ids[0] == tokenizer.bos_token_id and tokenizer.bos_token_id not in ids[1:]
    assert len(ids) == 1 + len(text.encode())
    assert tokenizer.decode(ids, skip_special_tokens=True) == text


def test_a_bos_that_is_written_out_is_not_doubled(tiny_folder: Path) -> None:
    tokenizer = load_tokenizer(tiny_folder)
    assert encode_prompt(tokenizer, Prompt(text="<bos>a")) == encode_prompt(
        tokenizer, Prompt(text="a")
    )


def test_messages_go_through_the_chat_template(tiny_folder: Path) -> None:
    tokenizer = load_tokenizer(tiny_folder)
    chat = Prompt(messages=({"role": "user", "content": "hi"},))
    with pytest.raises(BadInput, match="form: completion"):
        encode_prompt(tokenizer, chat)
    tokenizer.chat_template = CHAT
    assert tokenizer.decode(encode_prompt(tokenizer, chat)) == "[user]hi>"


def test_a_prompt_that_leaves_no_room_is_refused(tiny_folder: Path) -> None:
    tokenizer = load_tokenizer(tiny_folder)
    assert len(encode_prompt(tokenizer, Prompt(text="12345"), room=6)) == 6
    with pytest.raises(BadInput, match=r"6 tokens .* machine.context"):
        encode_prompt(tokenizer, Prompt(text="12345"), room=5)


def test_the_ends_of_the_generation_config_count_too(tiny_folder: Path, tmp_path: Path) -> None:
    tokenizer = load_tokenizer(tiny_folder)
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": [2, 9]}))
    assert end_tokens(tiny_folder, tokenizer) == {2}
    assert end_tokens(tmp_path, tokenizer) == {2, 9}


@pytest.mark.parametrize(
    ("text", "stops", "kept"),
    [("a\nb", ("\n",), "a"), ("abc", ("c", "b"), "a"), ("abc", (), "abc"), ("abc", ("d",), "abc")],
)
def test_text_ends_before_the_first_stop(text: str, stops: tuple[str, ...], kept: str) -> None:
    assert before_stop(text, stops) == kept


@pytest.mark.parametrize("stop", ["\n\n", "。", "</answer>"])
def test_a_stop_is_noticed_when_its_last_byte_comes(tiny_folder: Path, stop: str) -> None:
    tokenizer = load_tokenizer(tiny_folder)
    ids = tokenizer.encode("これは x" + stop, add_special_tokens=False)
    noticed = [stop_reached(tokenizer, ids[:n], ["zz", stop]) for n in range(1, len(ids) + 1)]
    assert noticed.index(True) == len(ids) - 1


def test_a_completion_holds_the_tokens_of_its_text(tiny_folder: Path) -> None:
    tokenizer = load_tokenizer(tiny_folder)
    ids = tokenizer.encode("ab##", add_special_tokens=False)
    ends = frozenset({tokenizer.eos_token_id})

    def finish(ids: list[int], stops: tuple[str, ...] = ()) -> tuple[str, str, int, int, int]:
        done = completion(tokenizer, [1, 5], ids, [-0.5] * len(ids), stops, ends)
        assert done.top1 is not None and done.prompt_tokens == 2
        return (
            done.text, done.finish_reason, done.completion_tokens, len(done.token_ids),
            len(done.top1),
        )  # fmt: skip

    assert finish(ids) == ("ab##", "length", 4, 4, 4)
    assert finish(ids, ("##",)) == ("ab", "stop", 4, 2, 2)
    assert finish([*ids, tokenizer.eos_token_id]) == ("ab##", "stop", 5, 4, 4)
    assert finish([tokenizer.eos_token_id]) == ("", "stop", 1, 0, 0)


@pytest.mark.parametrize(
    ("text", "opened", "count"),
    [
        ("no thought", False, 0),
        ("<think>abc</think>de", False, 3),
        ("<think>abcd", False, 4),
        ("ab</think>cd", False, 2),
        ("abcde", True, 5),
        ("abc</think>de", True, 3),
        ("x <think>y</think>", False, 1),
    ],
)
def test_thoughts_are_counted_between_their_tags(
    tiny_folder: Path, text: str, opened: bool, count: int
) -> None:
    assert reasoning_tokens(load_tokenizer(tiny_folder), text, opened) == count


def test_a_prompt_that_opens_the_thought_makes_all_of_an_unclosed_answer_thought(
    tiny_folder: Path,
) -> None:
    tokenizer = load_tokenizer(tiny_folder)
    prompt = encode_prompt(tokenizer, Prompt(text="Q: 1+1?\n<think>\n"))
    ids = tokenizer.encode("hm", add_special_tokens=False)
    assert completion(tokenizer, prompt, ids, None, (), frozenset()).reasoning_tokens == 2
