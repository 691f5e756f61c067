"""One row of facts per language: its marks, its words around an answer, how it puts a question.

Lists of words are written as one string with `|` between them. All words are lower case, in the
language's own script; matching folds case. Words that only some scripts or registers use are left
out where they would also be read in ordinary sentences.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tasks.errors import BadInput

LATIN_LETTERS = tuple("ABCDEFGHIJ")


@dataclass(frozen=True)
class Language:
    """What grading, prompts and text work need to know about one language."""

    code: str
    name: str  # in English
    endonym: str
    script: str  # Latin | Arabic | Cyrillic | Japanese | Han | Bengali | Thai | Telugu
    role: str  # trained | held_out | other (MGSM has it; number problems only)
    decimal: str  # decimal marks
    grouping: str  # marks between groups of digits; every kind of space groups as well
    letters: tuple[str, ...]  # the ten native labels of options
    question_word: str
    context_word: str
    reasoning_word: str
    answer_word: str  # the label before an answer; announces one only with a colon or a verb
    answer_words: tuple[str, ...]  # announce an answer wherever they stand
    links: tuple[str, ...]  # verbs between an answer word and the answer
    instructions: dict[str, str]  # choice | number | span | translation | math
    spaced: bool = True  # words have spaces between them
    colon: str = ": "
    bleu_tokenizer: str = "13a"
    articles: tuple[str, ...] = ()
    elisions: tuple[str, ...] = ()  # articles written onto the next word
    choosing: tuple[str, ...] = ()  # "I choose": announce an option without a further verb
    retractions: tuple[str, ...] = ()  # "no, wait": what was said before no longer holds
    negations: tuple[str, ...] = ()  # before a letter: it is not the answer
    rejections: tuple[str, ...] = ()  # behind a letter: it is not the answer
    affirmations: tuple[str, ...] = ()  # behind a letter: it is the answer
    conjunctions: tuple[str, ...] = ()  # and, or, nor
    reasons: tuple[str, ...] = ()  # because, since
    word_letters: str = ""  # letters that are also words when they stand alone


def _each(words: str) -> tuple[str, ...]:
    return tuple(words.split("|"))


_ROWS = (
    Language(
        code="en", name="English", endonym="English", script="Latin", role="trained",
        decimal=".", grouping=",'", letters=LATIN_LETTERS, word_letters="AI",
        question_word="Question", context_word="Context", reasoning_word="Reasoning",
        answer_word="Answer",
        answer_words=_each("the answer|final answer|correct answer|right answer|my answer"
                           "|our answer|correct option|right option|correct choice|right choice"
                           "|correct one|right one|correct letter|final result|the result"),
        links=_each("is|are|was|equals|would be|should be|must be|will be"),
        articles=_each("a|an|the"),
        choosing=_each("i choose|i pick|i select|i would choose|i would pick|i'd choose|i'd pick"
                       "|i'd go with|i'll go with|i would go with|i go with|my choice"),
        retractions=_each("wait|correction|no,|actually, no|scratch that|i mean|on second thought"
                          "|that is wrong|that's wrong|that is not right|that's not right"),
        negations=_each("not|isn't|never|neither|nor|instead of|rather than|unlike|rule out"
                        "|rules out|eliminate|exclude|can't be|cannot"),
        rejections=_each("wrong|incorrect|impossible|false"
                         "|is wrong|is incorrect|is impossible|is false|is not|isn't|is out"
                         "|is excluded|is eliminated|is ruled out|is unlikely|was wrong|seems wrong"
                         "|can't|cannot|could not|does not|doesn't|would not|are wrong"
                         "|are incorrect|are false|are impossible|are not|aren't"
                         "|are out|are ruled out|do not|don't"),
        affirmations=_each("is correct|is right|is the answer|is the correct|is the right"
                           "|is true"),
        conjunctions=_each("and|or|nor"), reasons=_each("because|since|as|for"),
        instructions={
            "choice": "Answer the question with the letter of the right option.",
            "number": "Solve the problem and give the answer as a number.",
            "span": "Answer the question in a few words.",
            "translation": "Translate the sentence into English.",
            "math": "Solve the problem and give only the final result at the end.",
        },
    ),
    Language(
        code="fr", name="French", endonym="français", script="Latin", role="trained",
        decimal=",", grouping=".'", letters=LATIN_LETTERS, word_letters="A", colon=" : ",
        question_word="Question", context_word="Contexte", reasoning_word="Raisonnement",
        answer_word="Réponse",
        answer_words=_each("la réponse|réponse finale|réponse correcte|bonne réponse|ma réponse"
                           "|notre réponse|bonne option|option correcte|bon choix|le résultat"
                           "|résultat final"),
        links=_each("est|sont|serait|sera|vaut|doit être"),
        articles=_each("le|la|les|un|une|des"), elisions=_each("l'"),
        choosing=_each("je choisis|je prends|j'opte pour|je retiens|mon choix"),
        retractions=_each("attendez|attends|correction|non,|c'est faux|ce n'est pas ça"
                          "|ce n'est pas juste"),
        negations=_each("pas|ni|non|jamais|plutôt que|au lieu de"),
        rejections=_each("faux|fausse|incorrect|incorrecte|impossible"
                         "|est faux|est fausse|est incorrect|est incorrecte|est impossible"
                         "|est exclu|est exclue|n'est|ne|sont faux|sont fausses|sont incorrectes"
                         "|sont impossibles|sont exclues"),
        affirmations=_each("est correct|est correcte|est juste|est exact|est exacte"
                           "|est la bonne|est la réponse|est vrai|est vraie"),
        conjunctions=_each("et|ou|ni"), reasons=_each("car|parce|puisque"),
        instructions={
            "choice": "Répondez à la question par la lettre de la bonne option.",
            "number": "Résolvez le problème et donnez la réponse sous forme de nombre.",
            "span": "Répondez à la question en quelques mots.",
            "translation": "Traduisez la phrase en anglais.",
            "math": "Résolvez le problème et ne donnez à la fin que le résultat final.",
        },
    ),
    Language(
        code="es", name="Spanish", endonym="español", script="Latin", role="trained",
        decimal=",", grouping=".'", letters=LATIN_LETTERS, word_letters="AE",
        question_word="Pregunta", context_word="Contexto", reasoning_word="Razonamiento",
        answer_word="Respuesta",
        answer_words=_each("la respuesta|respuesta final|respuesta correcta|mi respuesta"
                           "|nuestra respuesta|opción correcta|alternativa correcta|letra correcta"
                           "|el resultado|resultado final"),
        links=_each("es|son|sería|será|vale|debe ser"),
        articles=_each("el|la|los|las|un|una|unos|unas"),
        choosing=_each("elijo|escojo|opto por|me quedo con|selecciono|mi elección"),
        retractions=_each("espera|espere|un momento|corrección|mejor dicho|eso no es correcto"
                          "|eso es falso|me equivoqué"),
        negations=_each("no|ni|tampoco|nunca|en lugar de|en vez de"),
        rejections=_each("falsa|falso|incorrecta|incorrecto|imposible"
                         "|es falsa|es falso|es incorrecta|es incorrecto|es imposible|no"
                         "|queda descartada|son falsas|son incorrectas|son imposibles"),
        affirmations=_each("es correcta|es correcto|es la correcta|es la respuesta|es verdadera"
                           "|es cierta"),
        conjunctions=_each("y|o|ni"), reasons=_each("porque|ya|pues"),
        instructions={
            "choice": "Responde a la pregunta con la letra de la opción correcta.",
            "number": "Resuelve el problema y da la respuesta como un número.",
            "span": "Responde a la pregunta en pocas palabras.",
            "translation": "Traduce la frase al inglés.",
            "math": "Resuelve el problema y da al final solo el resultado.",
        },
    ),
    Language(
        code="ar", name="Arabic", endonym="العربية", script="Arabic", role="trained",
        decimal="٫.", grouping="٬,'", letters=tuple("أبجدهوزحطي"), word_letters="و",
        question_word="السؤال", context_word="السياق", reasoning_word="التفكير",
        answer_word="الجواب",
        answer_words=_each("الإجابة|الاجابة|الجواب الصحيح|الجواب النهائي|إجابتي|جوابي"
                           "|الخيار الصحيح|الحرف الصحيح|الناتج|النتيجة"),
        links=_each("هو|هي|يكون|تكون|يساوي|تساوي"),
        elisions=_each("ال"),
        choosing=_each("أختار|اختار|اختياري"),
        retractions=_each("انتظر|لحظة|تصحيح|عفوا|هذا خطأ|هذا غير صحيح"),
        negations=_each("ليس|ليست|وليس|وليست|لا|ولا|بدلا من|غير"),
        rejections=_each("خطأ|خاطئ|خاطئة|غير|ليس|ليست|ليسا|ليستا|مستحيل|مستحيلة|لا|مستبعد|مستبعدة"),
        affirmations=_each("صحيح|صحيحة|هو الصحيح|هي الصحيحة|هو الجواب|هي الإجابة"),
        conjunctions=_each("و|أو|ولا"), reasons=_each("لأن|لأنه|لأنها"),
        instructions={
            "choice": "أجب عن السؤال بحرف الخيار الصحيح.",
            "number": "حل المسألة وأعط الجواب في صورة عدد.",
            "span": "أجب عن السؤال في بضع كلمات.",
            "translation": "ترجم الجملة إلى الإنجليزية.",
            "math": "حل المسألة واكتب في النهاية النتيجة النهائية فقط.",
        },
    ),
    Language(
        code="pt", name="Portuguese", endonym="português", script="Latin", role="trained",
        decimal=",", grouping=".'", letters=LATIN_LETTERS, word_letters="AE",
        question_word="Pergunta", context_word="Contexto", reasoning_word="Raciocínio",
        answer_word="Resposta",
        answer_words=_each("a resposta|resposta final|resposta correta|resposta certa"
                           "|minha resposta|nossa resposta|opção correta|alternativa correta"
                           "|letra correta|o resultado|resultado final"),
        links=_each("é|são|seria|será|vale|deve ser"),
        articles=_each("o|a|os|as|um|uma|uns|umas"),
        choosing=_each("escolho|opto por|fico com|seleciono|minha escolha"),
        retractions=_each("espera|espere|um momento|correção|não,|melhor dizendo"
                          "|isso não está certo|isso está errado"),
        negations=_each("não|nem|nunca|em vez de|em lugar de"),
        rejections=_each("falsa|falso|errada|errado|incorreta|incorreto|impossível"
                         "|é falsa|é falso|está errada|está errado|é incorreta|é incorreto"
                         "|é impossível|não|estão erradas|estão errados|são falsas|são incorretas"
                         "|são impossíveis"),
        affirmations=_each("está correta|está correto|está certa|está certo|é correta"
                           "|é a correta|é a resposta|é a certa|é verdadeira"),
        conjunctions=_each("e|ou|nem"), reasons=_each("porque|pois|já"),
        instructions={
            "choice": "Responda à pergunta com a letra da opção correta.",
            "number": "Resolva o problema e dê a resposta como um número.",
            "span": "Responda à pergunta em poucas palavras.",
            "translation": "Traduza a frase para o inglês.",
            "math": "Resolva o problema e dê no final apenas o resultado.",
        },
    ),
    Language(
        code="it", name="Italian", endonym="italiano", script="Latin", role="trained",
        decimal=",", grouping=".'", letters=LATIN_LETTERS, word_letters="AEI",
        question_word="Domanda", context_word="Contesto", reasoning_word="Ragionamento",
        answer_word="Risposta",
        answer_words=_each("la risposta|risposta finale|risposta corretta|risposta giusta"
                           "|risposta esatta|mia risposta|nostra risposta|opzione corretta"
                           "|opzione giusta|lettera corretta|il risultato|risultato finale"),
        links=_each("è|sono|sarebbe|sarà|vale|deve essere"),
        articles=_each("il|lo|la|i|gli|le|un|uno|una"), elisions=_each("l'|un'"),
        choosing=_each("scelgo|opto per|seleziono|la mia scelta"),
        retractions=_each("aspetta|un momento|correzione|no,|anzi|non è corretto|è sbagliato"),
        negations=_each("non|né|mai|invece di|anziché"),
        rejections=_each("falsa|falso|sbagliata|sbagliato|errata|errato|impossibile"
                         "|è falsa|è falso|è sbagliata|è sbagliato|è errata|è errato|è impossibile"
                         "|è esclusa|non|sono false|sono sbagliate|sono errate|sono impossibili"),
        affirmations=_each("è corretta|è corretto|è giusta|è giusto|è esatta|è quella corretta"
                           "|è quella giusta|è la risposta|è vera"),
        conjunctions=_each("e|o|né"), reasons=_each("perché|poiché"),
        instructions={
            "choice": "Rispondi alla domanda con la lettera dell'opzione corretta.",
            "number": "Risolvi il problema e dai la risposta come numero.",
            "span": "Rispondi alla domanda in poche parole.",
            "translation": "Traduci la frase in inglese.",
            "math": "Risolvi il problema e alla fine dai solo il risultato.",
        },
    ),
    Language(
        code="de", name="German", endonym="Deutsch", script="Latin", role="held_out",
        decimal=",", grouping=".'", letters=LATIN_LETTERS,
        question_word="Frage", context_word="Text", reasoning_word="Begründung",
        answer_word="Antwort",
        answer_words=_each("die antwort|endgültige antwort|richtige antwort|korrekte antwort"
                           "|meine antwort|unsere antwort|richtige option|richtig ist|korrekt ist"
                           "|richtiger buchstabe|das ergebnis|endergebnis"),
        links=_each("ist|sind|lautet|beträgt|wäre|muss sein"),
        articles=_each("der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines"),
        choosing=_each("ich wähle|ich nehme|ich entscheide mich für|ich tippe auf|meine wahl"),
        retractions=_each("moment|korrektur|nein,|doch nicht|das ist falsch|das stimmt nicht"
                          "|das war falsch|besser gesagt"),
        negations=_each("nicht|weder|nie|statt|anstatt|anstelle von|kein|keine"),
        rejections=_each("falsch|unmöglich|ausgeschlossen"
                         "|ist falsch|ist nicht|ist unmöglich|ist ausgeschlossen|kann nicht"
                         "|scheidet aus|passt nicht|stimmt nicht|sind falsch|sind nicht"
                         "|sind unmöglich|sind ausgeschlossen|können nicht|scheiden aus"),
        affirmations=_each("ist richtig|ist korrekt|ist die richtige|ist die antwort|stimmt"
                           "|trifft zu"),
        conjunctions=_each("und|oder|noch"),
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
        answer_words=_each("答えは|解答は|回答は|正解は|正しい答え|最終的な答え|正しい選択肢"
                           "|解答|回答|正解|結果は"),
        links=_each("は|が"),
        retractions=_each("いや|訂正|待って|待てよ|間違えました|違います"),
        rejections=_each("ではない|ではありません|ではなく|じゃない|でない|は違|は間違|は誤|は不正解"
                         "|は不可能|はあり得|はありえ"),
        affirmations=_each("が正解|が正しい|が答え|は正しい|は正解"),
        conjunctions=_each("と|か|または|や|及び"),
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
        answer_words=_each("ответом|окончательный ответ|правильный ответ|верный ответ|мой ответ"
                           "|наш ответ|правильный вариант|верный вариант|правильная буква"
                           "|результат"),
        links=_each("это|является|будет|равен|равна|равно|составляет"),
        choosing=_each("выбираю|я выбираю|я выберу|мой выбор"),
        retractions=_each("подожди|подождите|стоп|нет,|точнее|вернее|исправление|это неверно"
                          "|это не так"),
        negations=_each("не|ни|вместо|никогда"),
        rejections=_each("неверно|неверен|неверна|неверный|неверны|неправильно|неправильны"
                         "|невозможно|невозможен|невозможны|ложно|ложны|не|исключается|исключаются"
                         "|исключён"),
        affirmations=_each("верно|верен|верный|правильно|правильный|это правильный"),
        conjunctions=_each("и|или|ни"), reasons=_each("потому|так|поскольку"),
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
        answer_words=_each("最终答案|正确答案|答案是|答案为|答案選|答案选|正确选项|正確答案|正確選項"
                           "|结果是|结果为"),
        links=_each("是|为|為|选|選|等于|等於"),
        choosing=_each("我选择|我选|我選擇|我選|应选|應選|故选|故選|因此选|所以选"),
        retractions=_each("不对|不對|等等|更正|纠正|错了|錯了"),
        negations=_each("不是|并非|並非|不选|不選|而非|排除|不会是|不可能是"),
        rejections=_each("是错|是錯|错误|錯誤|不对|不對|不正确|不正確|不是|不可能|是不可能|不行|被排除"
                         "|都不|都错|都錯|都是错|都是錯"),
        affirmations=_each("是正确|正确|是对的|是正確|正確|是對的|为正确|符合题意"),
        conjunctions=_each("和|或|或者|与|與|跟|及|还是|還是"),
        instructions={
            "choice": "请用正确选项的字母回答问题。",
            "number": "解答这道题，并用数字给出答案。",
            "span": "请用几个词回答问题。",
            "translation": "把下面的句子翻译成英语。",
            "math": "解答这道题，最后只写出结果。",
        },
    ),
    Language(
        code="bn", name="Bengali", endonym="বাংলা", script="Bengali", role="other",
        decimal=".", grouping=",", letters=tuple("কখগঘঙচছজঝঞ"),
        question_word="প্রশ্ন", context_word="প্রসঙ্গ", reasoning_word="যুক্তি",
        answer_word="উত্তর",
        answer_words=_each("চূড়ান্ত উত্তর|সঠিক উত্তর|উত্তর হল|উত্তর হলো|উত্তরটি|ফলাফল"),
        links=_each("হল|হলো|হবে|হচ্ছে"),
        instructions={
            "choice": "সঠিক বিকল্পের অক্ষর দিয়ে প্রশ্নের উত্তর দিন।",
            "number": "সমস্যাটি সমাধান করুন এবং উত্তরটি সংখ্যায় দিন।",
            "span": "কয়েকটি শব্দে প্রশ্নের উত্তর দিন।",
            "translation": "বাক্যটি ইংরেজিতে অনুবাদ করুন।",
            "math": "সমস্যাটি সমাধান করুন এবং শেষে শুধু ফলাফল লিখুন।",
        },
    ),
    Language(
        code="sw", name="Swahili", endonym="Kiswahili", script="Latin", role="other",
        decimal=".", grouping=",'", letters=LATIN_LETTERS,
        question_word="Swali", context_word="Muktadha", reasoning_word="Hoja",
        answer_word="Jibu",
        answer_words=_each("jibu la mwisho|jibu sahihi|jibu langu|jibu letu|matokeo"),
        links=_each("ni|litakuwa"),
        instructions={
            "choice": "Jibu swali kwa herufi ya chaguo sahihi.",
            "number": "Tatua tatizo na utoe jibu kama nambari.",
            "span": "Jibu swali kwa maneno machache.",
            "translation": "Tafsiri sentensi kwa Kiingereza.",
            "math": "Tatua tatizo na mwishoni andika matokeo pekee.",
        },
    ),
    Language(
        code="te", name="Telugu", endonym="తెలుగు", script="Telugu", role="other",
        decimal=".", grouping=",", letters=tuple("అఆఇఈఉఊఋఎఏఐ"),
        question_word="ప్రశ్న", context_word="సందర్భం", reasoning_word="తార్కికం",
        answer_word="సమాధానం",
        answer_words=_each("తుది సమాధానం|సరైన సమాధానం|జవాబు|ఫలితం"),
        links=_each("అవుతుంది|ఏమిటంటే"),
        instructions={
            "choice": "సరైన ఎంపిక అక్షరంతో ప్రశ్నకు సమాధానం ఇవ్వండి.",
            "number": "సమస్యను పరిష్కరించి సమాధానాన్ని సంఖ్యగా ఇవ్వండి.",
            "span": "కొన్ని పదాలలో ప్రశ్నకు సమాధానం ఇవ్వండి.",
            "translation": "వాక్యాన్ని ఆంగ్లంలోకి అనువదించండి.",
            "math": "సమస్యను పరిష్కరించి చివరలో ఫలితం మాత్రమే రాయండి.",
        },
    ),
    Language(
        code="th", name="Thai", endonym="ไทย", script="Thai", role="other",
        decimal=".", grouping=",", letters=tuple("กขคงจฉชซฌญ"), spaced=False,
        bleu_tokenizer="char",
        question_word="คำถาม", context_word="บริบท", reasoning_word="เหตุผล",
        answer_word="คำตอบ",
        answer_words=_each("คำตอบสุดท้าย|คำตอบที่ถูกต้อง|คำตอบคือ|ตอบว่า|ผลลัพธ์"),
        links=_each("คือ|เป็น|เท่ากับ"),
        instructions={
            "choice": "ตอบคำถามด้วยตัวอักษรของตัวเลือกที่ถูกต้อง",
            "number": "แก้โจทย์และตอบเป็นตัวเลข",
            "span": "ตอบคำถามด้วยคำสั้น ๆ",
            "translation": "แปลประโยคเป็นภาษาอังกฤษ",
            "math": "แก้โจทย์และเขียนเฉพาะผลลัพธ์ในตอนท้าย",
        },
    ),
)  # fmt: skip

LANGUAGES: dict[str, Language] = {row.code: row for row in _ROWS}
TRAINED: tuple[str, ...] = tuple(row.code for row in _ROWS if row.role == "trained")
HELD_OUT: tuple[str, ...] = tuple(row.code for row in _ROWS if row.role == "held_out")


def known(codes: Iterable[str] = LANGUAGES) -> str:
    """The language codes, as error messages list them."""
    return ", ".join(codes)


def language(code: str) -> Language:
    """The row of a language code; BadInput lists the known ones."""
    if code not in LANGUAGES:
        raise BadInput(f"language {code!r} is not known; write one of {known()}")
    return LANGUAGES[code]
