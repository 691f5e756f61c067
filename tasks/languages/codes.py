"""Language codes as other harnesses and people write them: de, deu_Latn, DE_DE, German."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# Two letters, three letters (of ISO 639-3, and of its macrolanguage), name in English.
_TABLE = """
af afr afrikaans|am amh amharic|ar arb/ara arabic|as asm assamese|az azj/aze azerbaijani
be bel belarusian|bg bul bulgarian|bn ben bengali|bs bos bosnian|ca cat catalan|cs ces czech
cy cym welsh|da dan danish|de deu german|el ell greek|en eng english|es spa spanish
et est/ekk estonian|eu eus basque|fa pes/fas persian|fi fin finnish|fil fil filipino|fr fra french
ga gle irish|gl glg galician|gu guj gujarati|ha hau hausa|he heb hebrew|hi hin hindi
hr hrv croatian|hu hun hungarian|hy hye armenian|id ind indonesian|ig ibo igbo|is isl icelandic
it ita italian|ja jpn japanese|jv jav javanese|ka kat georgian|kk kaz kazakh|km khm khmer
kn kan kannada|ko kor korean|ky kir kyrgyz|lo lao lao|lt lit lithuanian|lv lvs/lav latvian
mg plt/mlg malagasy|mk mkd macedonian|ml mal malayalam|mn khk/mon mongolian|mr mar marathi
ms zsm/msa malay|mt mlt maltese|my mya burmese|ne npi/nep nepali|nl nld dutch|no nob/nor norwegian
ny nya chichewa|or ory/ori odia|pa pan punjabi|pl pol polish|ps pbt/pus pashto|pt por portuguese
ro ron romanian|ru rus russian|sd snd sindhi|si sin sinhala|sk slk slovak|sl slv slovenian
sn sna shona|so som somali|sq als/sqi albanian|sr srp serbian|su sun sundanese|sv swe swedish
sw swh/swa swahili|ta tam tamil|te tel telugu|tg tgk tajik|th tha thai|tl tgl tagalog
tr tur turkish|uk ukr ukrainian|ur urd urdu|uz uzn/uzb uzbek|vi vie vietnamese|wo wol wolof
xh xho xhosa|yo yor yoruba|zh zho chinese|zu zul zulu
"""


def _each(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NAMES: dict[str, str] = {}
_SHORT: dict[str, str] = {}
for _row in _TABLE.replace("\n", "|").strip("|").split("|"):
    _two, _three, _name = _row.split(" ")
    _NAMES[_name] = _two
    _SHORT |= dict.fromkeys([_two, *_three.split("/")], _two)
_NOT_LATIN = _each("am ar bn el fa he hi ja kn ko ml mr ne or pa ru sd si ta te th ur zh")
# Where a locale says more than the language: there are two written forms of it.
_WRITTEN = {("zh", "Hant"): "zh-Hant", ("zh", "Tw"): "zh-Hant", ("zh", "Hk"): "zh-Hant"}
_WRITTEN |= {(code, "Latn"): f"{code}-Latn" for code in _NOT_LATIN}
_REGIONS = _each(
    "ae ar at au be bd br ca ch cn co de eg es fr gb hk id ie il in it jp ke kr la mx my ng nl ph "
    "pk pl pt ru sa se sg th tr tw tz ua uk us vn xy za"
)


class Named(NamedTuple):
    """A task name taken apart: `rest` is what stands behind the language."""

    benchmark: str
    language: str
    rest: str


def language_code(text: str) -> str | None:
    """The code of "de", "deu_Latn", "DE-de" or "German"; None for what is no language."""
    parts = text.strip().replace("-", "_").split("_")
    return _code(parts) if 1 <= len(parts) <= 2 else None


def _code(parts: list[str]) -> str | None:
    head = parts[0].casefold()
    if len(parts) == 1:
        return _SHORT.get(head) or _NAMES.get(head)
    where = parts[1].capitalize()
    if head in _SHORT and (len(where) == 4 or where.casefold() in _REGIONS):
        return _WRITTEN.get((_SHORT[head], where), _SHORT[head])
    # A language of three letters that has no two: its script tells that it is one.
    return head if len(head) == 3 and len(where) == 4 and parts[1] == where else None


def bare_code(text: str) -> str:
    """The code without a written form, such as zh of "zh-Hant"; what is no language as it is."""
    return (language_code(text) or text).partition("-")[0]


def script_tag(text: str) -> str | None:
    """The script that a code states, as in "deu_Latn" or "zh-Hant"; None where it states none."""
    tags = [part.capitalize() for part in text.strip().replace("-", "_").split("_")[1:]]
    return next((tag for tag in tags if len(tag) == 4 and tag.isalpha()), None)


def spelled(language: str, names: Iterable[str]) -> str:
    """A language as one of `names` writes it: the only one that means it, such as "DE" for "de".

    The language itself where it is among them, or where none or several mean it.
    """
    known = list(names)
    meant = language_code(language)
    same = [name for name in known if meant is not None and language_code(name) == meant]
    return same[0] if language not in known and len(same) == 1 else language


def taken_apart(task: str) -> Named | None:
    """The last language in a task name such as mgsm_direct_de or global_mmlu_de_stem, if any.

    A language's name or code never opens a task name: there would be no benchmark before it.
    """
    parts = task.split("_")
    for end in range(len(parts), 1, -1):
        for length in (2, 1):
            start = end - length
            code = language_code("_".join(parts[start:end])) if start > 0 else None
            if code is not None:
                rest = parts[end:]
                return Named("_".join(parts[:start] + rest), code, "_".join(rest))
    return None
