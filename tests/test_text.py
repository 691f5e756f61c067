"""Cleaning, cutting and comparing text, in all scripts."""

from __future__ import annotations

import pytest

from tasks.languages import LANGUAGES
from tasks.text import (
    compatible,
    cut_at_stop,
    identify_language,
    plain,
    similarity,
    visible,
    without_thoughts,
    words,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Torre\u200b Blanca", "Torre Blanca"),
        ("\u2067شارع\u2069", "شارع"),
        ("Do\u00adnau", "Donau"),
        ("cafe\u0301", "café"),
        ("8\u202f000\u00a0km", "8 000 km"),
        ("\ufeffstart\tend", "start end"),
        ("東京\u3000駅", "東京 駅"),
    ],
)
def test_what_cannot_be_seen_is_gone(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "ascii_text"),
    [
        ("６４", "64"),
        ("٣٧", "37"),
        ("২৯", "29"),
        ("౫౩", "53"),
        ("๘๑", "81"),
        ("（Ｂ）：", "(B):"),
        ("\u22129", "-9"),
        ("16 m²", "16 m²"),  # a superscript is no digit
        ("½", "½"),
    ],
)
def test_digits_and_widths_are_folded(text: str, ascii_text: str) -> None:
    assert plain(text) == ascii_text


def test_circled_letters_are_letters_only_where_compatible_forms_are_asked_for() -> None:
    assert (plain("Ⓒ"), compatible("Ⓒ")) == ("Ⓒ", "C")


def test_a_thai_vowel_is_one_character_however_it_came() -> None:
    assert compatible("คำตอบ") == "คำตอบ" == compatible("ค\u0e4d\u0e32ตอบ")


@pytest.mark.parametrize(
    ("text", "stop", "kept"),
    [
        ("yes\n\nQuestion: more", ["\n\nQuestion:"], "yes"),
        ("one END two STOP", ["STOP", "END"], "one "),  # the earliest, whatever the order
        ("nothing to cut", ["###"], "nothing to cut"),
        ("empty marks cut nothing", [""], "empty marks cut nothing"),
        ("\nnothing is left", ["\n"], ""),
    ],
)
def test_text_ends_at_the_first_stop(text: str, stop: list[str], kept: str) -> None:
    assert cut_at_stop(text, stop) == kept


@pytest.mark.parametrize(
    ("text", "kept", "still_open"),
    [
        ("<think>hm</think>done", "done", False),
        ("a<think>b</think>c<think>d</think>e", "ace", False),
        ("<think>b<think>c</think>d</think>e", "e", False),
        ("hm, so</think>done", "done", False),  # the prompt had opened it
        ("first <Thinking>and then", "first ", True),
        ("[THINK]hm[/THINK]done", "done", False),
        ("3 < 4 and [5]", "3 < 4 and [5]", False),
        ("a thinker thinks", "a thinker thinks", False),
    ],
)
def test_thoughts_are_cut_out_and_open_ones_noticed(text: str, kept: str, still_open: bool) -> None:
    assert without_thoughts(text) == (kept, still_open)


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "The well-known J.R. Smith's!", ["the", "well", "known", "jr", "smiths"]),
        ("en", "at 9:45, for -3.5 or 7.", ["at", "9:45", "for", "-3.5", "or", "7"]),
        ("en", "1914–1918 👍", ["1914", "1918"]),
        ("de", "Große GROSSE", ["grosse", "grosse"]),
        ("ru", "Ещё ёлка", ["еще", "елка"]),
        ("ar", "أُمٌّ، الإسلام", ["ام", "الاسلام"]),
        ("zh", "２０２４年，上海。", ["2024", "年", "上", "海"]),
        ("ja", "「日本」です", ["日", "本", "で", "す"]),
        ("bn", "সোনার বাংলা।", ["সোনার", "বাংলা"]),
        ("en", "?!…", []),
    ],
)
def test_words_are_what_answers_are_compared_by(code: str, text: str, expected: list[str]) -> None:
    assert words(text, code) == expected


SENTENCES = {
    "en": "The ferry to the island leaves twice a day, except on Sundays.",
    "fr": "Le bac pour l'île part deux fois par jour, sauf le dimanche.",
    "es": "El barco a la isla sale dos veces al día, menos los domingos.",
    "ar": "تغادر العبارة إلى الجزيرة مرتين في اليوم ما عدا يوم الأحد.",
    "pt": "A balsa para a ilha parte duas vezes por dia, exceto aos domingos.",
    "it": "Il traghetto per l'isola parte due volte al giorno, tranne la domenica.",
    "de": "Die Fähre zur Insel fährt zweimal am Tag, außer an Sonntagen.",
    "ja": "島へのフェリーは日曜日を除いて一日に二回出ます。",
    "ru": "Паром на остров уходит два раза в день, кроме воскресенья.",
    "zh": "除了星期天，去岛上的渡轮每天开两班。",
}


@pytest.mark.parametrize(("code", "text"), SENTENCES.items())
def test_a_sentence_tells_its_language(code: str, text: str) -> None:
    assert identify_language(text) == code


@pytest.mark.parametrize(
    "text", ["", "42", "OK", "x = 3", "$\\frac{a}{b} = \\sqrt{c}$", "日本", "```print(x)```"]
)
def test_what_is_too_short_tells_none(text: str) -> None:
    assert identify_language(text) is None


def test_only_the_languages_asked_for_are_told() -> None:
    assert identify_language(SENTENCES["ru"], among=("en", "fr")) is None
    assert identify_language(SENTENCES["de"], among=("ar", "zh")) is None
    assert identify_language("কাল সকালে বৃষ্টি হতে পারে।", among=("bn", "en")) == "bn"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("uk", "Сьогодні ввечері ми підемо до театру разом з друзями."),
        ("hi", "आज शाम हम दोस्तों के साथ नाटक देखने जाएँगे।"),
        ("ur", "آج شام ہم دوستوں کے ساتھ ڈرامہ دیکھنے جائیں گے۔"),
        ("ko", "오늘 저녁에 친구들과 연극을 보러 갑니다."),
        ("he", "הערב נלך לתיאטרון עם חברים."),
        ("vi", "Tối nay chúng tôi đi xem kịch cùng bạn bè."),
    ],
)
def test_languages_of_one_script_are_told_apart_among_all(code: str, text: str) -> None:
    assert identify_language(text, among=tuple(LANGUAGES)) == code


def test_foreign_names_and_formulas_do_not_hide_the_language() -> None:
    assert identify_language("Massachusetts 的首府在哪里，Internet 呢？") == "zh"
    german = "Für welches x gilt $x^2 + 3x = \\text{the given value}$, wenn x kleiner als null ist?"
    assert identify_language(german) == "de"


def test_prices_are_not_taken_for_formulas() -> None:
    text = "Sie zahlt $5 für den Tee, sechs für den Kuchen und noch einmal $9 für das Brot."
    assert identify_language(text) == "de"


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ("", "", 1.0, 1.0),
        ("", "word", 0.0, 0.0),
        ("Same Text", "same   text", 1.0, 1.0),
        ("A baker sells 12 loaves.", "A baker sells 15 loaves.", 0.75, 0.99),
        ("A baker sells 12 loaves.", "How tall is the old oak?", 0.0, 0.2),
        ("面包师卖了十二个面包。", "面包师卖了十五个面包。", 0.5, 0.9),
        ("ab", "ab", 1.0, 1.0),
        ("ab", "cd", 0.0, 0.0),
    ],
)
def test_similarity_is_one_for_copies_and_small_for_strangers(
    first: str, second: str, low: float, high: float
) -> None:
    assert low <= similarity(first, second) <= high
    assert similarity(first, second) == similarity(second, first)
