"""The languages that nothing may ever be trained in."""

from __future__ import annotations

from tasks.languages.row import LATIN_LETTERS, Language, each

ROWS = (
    Language(
        code="de", name="German", endonym="Deutsch", script="Latin", role="held_out",
        decimal=",", grouping=".'", letters=LATIN_LETTERS,
        question_word="Frage", context_word="Text", reasoning_word="Begründung",
        answer_word="Antwort",
        answer_words=each("die antwort|endgültige antwort|richtige antwort|korrekte antwort"
                           "|meine antwort|unsere antwort|richtige option|richtig ist|korrekt ist"
                           "|richtiger buchstabe|das ergebnis|endergebnis"),
        links=each("ist|sind|lautet|beträgt|wäre|muss sein"),
        articles=each("der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines"),
        choosing=each("ich wähle|ich nehme|ich entscheide mich für|ich tippe auf|meine wahl"),
        retractions=each("moment|korrektur|nein,|doch nicht|das ist falsch|das stimmt nicht"
                          "|das war falsch|besser gesagt"),
        negations=each("nicht|weder|nie|statt|anstatt|anstelle von|kein|keine"),
        rejections=each("falsch|unmöglich|ausgeschlossen"
                         "|ist falsch|ist nicht|ist unmöglich|ist ausgeschlossen|kann nicht"
                         "|scheidet aus|passt nicht|stimmt nicht|sind falsch|sind nicht"
                         "|sind unmöglich|sind ausgeschlossen|können nicht|scheiden aus"),
        affirmations=each("ist richtig|ist korrekt|ist die richtige|ist die antwort|stimmt"
                           "|trifft zu"),
        conjunctions=each("und|oder|noch"),
        reason="Denke zuerst {language} Schritt für Schritt nach.",
        finish="Schreibe dann die Antwort in eine letzte Zeile, die mit „{label}“ beginnt.",
        reply="Gib die Antwort {language}.",
        in_own="auf Deutsch", in_english="auf Englisch", fertility=1.4,
        instructions={
            "choice": "Beantworte die Frage mit dem Buchstaben der richtigen Option.",
            "number": "Löse die Aufgabe und gib die Antwort als Zahl an.",
            "span": "Beantworte die Frage in wenigen Worten.",
            "translation": "Übersetze den Satz ins Englische.",
            "math": "Löse die Aufgabe und gib am Ende nur das Ergebnis an.",
        },
    ),
    Language(
        code="ja", name="Japanese", endonym="日本語", script="Japanese", role="held_out",
        decimal=".", grouping=",", letters=tuple("アイウエオカキクケコ"),
        spaced=False, colon="：", bleu_tokenizer="char",
        question_word="質問", context_word="文章", reasoning_word="考え方", answer_word="答え",
        answer_words=each("答えは|解答は|回答は|正解は|正しい答え|最終的な答え|正しい選択肢"
                           "|解答|回答|正解|結果は"),
        links=each("は|が"),
        retractions=each("いや|訂正|待って|待てよ|間違えました|違います"),
        rejections=each("ではない|ではありません|ではなく|じゃない|でない|は違|は間違|は誤|は不正解"
                         "|は不可能|はあり得|はありえ"),
        affirmations=each("が正解|が正しい|が答え|は正しい|は正解"),
        conjunctions=each("と|か|または|や|及び"),
        reason="まず{language}順を追って考えてください。",
        finish="その後、最後の行に「{label}」と書き、続けて答えを書いてください。",
        reply="答えは{language}書いてください。",
        in_own="日本語で", in_english="英語で", fertility=1.3,
        instructions={
            "choice": "質問に正しい選択肢の記号で答えてください。",
            "number": "問題を解き、答えを数字で書いてください。",
            "span": "質問に短い言葉で答えてください。",
            "translation": "次の文を英語に訳してください。",
            "math": "問題を解き、最後に結果だけを書いてください。",
        },
    ),
    Language(
        code="ru", name="Russian", endonym="русский", script="Cyrillic", role="held_out",
        decimal=",", grouping=".'", letters=tuple("АБВГДЕЖЗИК"), word_letters="АВИС",
        question_word="Вопрос", context_word="Текст", reasoning_word="Рассуждение",
        answer_word="Ответ",
        answer_words=each("ответом|окончательный ответ|правильный ответ|верный ответ|мой ответ"
                           "|наш ответ|правильный вариант|верный вариант|правильная буква"
                           "|результат"),
        links=each("это|является|будет|равен|равна|равно|составляет"),
        choosing=each("выбираю|я выбираю|я выберу|мой выбор"),
        retractions=each("подожди|подождите|стоп|нет,|точнее|вернее|исправление|это неверно"
                          "|это не так"),
        negations=each("не|ни|вместо|никогда"),
        rejections=each("неверно|неверен|неверна|неверный|неверны|неправильно|неправильны"
                         "|невозможно|невозможен|невозможны|ложно|ложны|не|исключается|исключаются"
                         "|исключён"),
        affirmations=each("верно|верен|верный|правильно|правильный|это правильный"),
        conjunctions=each("и|или|ни"), reasons=each("потому|так|поскольку"),
        reason="Сначала рассуждайте шаг за шагом {language}.",
        finish="Затем напишите ответ в последней строке, которая начинается с «{label}».",
        reply="Дайте ответ {language}.",
        in_own="на русском языке", in_english="на английском языке", fertility=1.5,
        instructions={
            "choice": "Ответьте на вопрос буквой правильного варианта.",
            "number": "Решите задачу и дайте ответ в виде числа.",
            "span": "Ответьте на вопрос в нескольких словах.",
            "translation": "Переведите предложение на английский язык.",
            "math": "Решите задачу и в конце напишите только результат.",
        },
    ),
    Language(
        code="zh", name="Chinese", endonym="中文", script="Han", role="held_out",
        decimal=".", grouping=",", letters=tuple("甲乙丙丁戊己庚辛壬癸"),
        spaced=False, colon="：", bleu_tokenizer="zh",
        question_word="问题", context_word="文章", reasoning_word="思考", answer_word="答案",
        answer_words=each("最终答案|正确答案|答案是|答案为|答案選|答案选|正确选项|正確答案|正確選項"
                           "|结果是|结果为"),
        links=each("是|为|為|选|選|等于|等於"),
        choosing=each("我选择|我选|我選擇|我選|应选|應選|故选|故選|因此选|所以选"),
        retractions=each("不对|不對|等等|更正|纠正|错了|錯了"),
        negations=each("不是|并非|並非|不选|不選|而非|排除|不会是|不可能是"),
        rejections=each("是错|是錯|错误|錯誤|不对|不對|不正确|不正確|不是|不可能|是不可能|不行|被排除"
                         "|都不|都错|都錯|都是错|都是錯"),
        affirmations=each("是正确|正确|是对的|是正確|正確|是對的|为正确|符合题意"),
        conjunctions=each("和|或|或者|与|與|跟|及|还是|還是"),
        reason="请先{language}一步一步地推理。",
        finish="最后另起一行，以“{label}”开头写出答案。",
        reply="请{language}写出答案。", in_own="用中文", in_english="用英文", fertility=1.1,
        instructions={
            "choice": "请用正确选项的字母回答问题。",
            "number": "解答这道题，并用数字给出答案。",
            "span": "请用几个词回答问题。",
            "translation": "把下面的句子翻译成英语。",
            "math": "解答这道题，最后只写出结果。",
        },
    ),
)  # fmt: skip
