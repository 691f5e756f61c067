"""The languages that the method trains in; English is where transfer starts."""

from __future__ import annotations

from tasks.languages.row import LATIN_LETTERS, Language, each

ROWS = (
    Language(
        code="en", name="English", endonym="English", script="Latin", role="trained",
        decimal=".", grouping=",'", letters=LATIN_LETTERS, word_letters="AI",
        question_word="Question", context_word="Context", reasoning_word="Reasoning",
        answer_word="Answer",
        answer_words=each("the answer|final answer|correct answer|right answer|my answer"
                           "|our answer|correct option|right option|correct choice|right choice"
                           "|correct one|right one|correct letter|final result|the result"),
        links=each("is|are|was|equals|would be|should be|must be|will be"),
        articles=each("a|an|the"),
        choosing=each("i choose|i pick|i select|i would choose|i would pick|i'd choose|i'd pick"
                       "|i'd go with|i'll go with|i would go with|i go with|my choice"),
        retractions=each("wait|correction|no,|actually, no|scratch that|i mean|on second thought"
                          "|that is wrong|that's wrong|that is not right|that's not right"),
        negations=each("not|isn't|never|neither|nor|instead of|rather than|unlike|rule out"
                        "|rules out|eliminate|exclude|can't be|cannot"),
        rejections=each("wrong|incorrect|impossible|false"
                         "|is wrong|is incorrect|is impossible|is false|is not|isn't|is out"
                         "|is excluded|is eliminated|is ruled out|is unlikely|was wrong|seems wrong"
                         "|can't|cannot|could not|does not|doesn't|would not|are wrong"
                         "|are incorrect|are false|are impossible|are not|aren't"
                         "|are out|are ruled out|do not|don't"),
        affirmations=each("is correct|is right|is the answer|is the correct|is the right"
                           "|is true"),
        conjunctions=each("and|or|nor"), reasons=each("because|since|as|for"),
        reason="First reason step by step {language}.",
        finish="Then write the answer on a last line that begins with “{label}”.",
        reply="Give the answer {language}.",
        in_own="in English", in_english="in English", fertility=1.0,
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
        answer_words=each("la réponse|réponse finale|réponse correcte|bonne réponse|ma réponse"
                           "|notre réponse|bonne option|option correcte|bon choix|le résultat"
                           "|résultat final"),
        links=each("est|sont|serait|sera|vaut|doit être"),
        articles=each("le|la|les|un|une|des"), elisions=each("l'"),
        choosing=each("je choisis|je prends|j'opte pour|je retiens|mon choix"),
        retractions=each("attendez|attends|correction|non,|c'est faux|ce n'est pas ça"
                          "|ce n'est pas juste"),
        negations=each("pas|ni|non|jamais|plutôt que|au lieu de"),
        rejections=each("faux|fausse|incorrect|incorrecte|impossible"
                         "|est faux|est fausse|est incorrect|est incorrecte|est impossible"
                         "|est exclu|est exclue|n'est|ne|sont faux|sont fausses|sont incorrectes"
                         "|sont impossibles|sont exclues"),
        affirmations=each("est correct|est correcte|est juste|est exact|est exacte"
                           "|est la bonne|est la réponse|est vrai|est vraie"),
        conjunctions=each("et|ou|ni"), reasons=each("car|parce|puisque"),
        reason="Raisonnez d'abord étape par étape {language}.",
        finish="Écrivez ensuite la réponse sur une dernière ligne qui commence par « {label} ».",
        reply="Donnez la réponse {language}.",
        in_own="en français", in_english="en anglais", fertility=1.5,
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
        answer_words=each("la respuesta|respuesta final|respuesta correcta|mi respuesta"
                           "|nuestra respuesta|opción correcta|alternativa correcta|letra correcta"
                           "|el resultado|resultado final"),
        links=each("es|son|sería|será|vale|debe ser"),
        articles=each("el|la|los|las|un|una|unos|unas"),
        choosing=each("elijo|escojo|opto por|me quedo con|selecciono|mi elección"),
        retractions=each("espera|espere|un momento|corrección|mejor dicho|eso no es correcto"
                          "|eso es falso|me equivoqué"),
        negations=each("no|ni|tampoco|nunca|en lugar de|en vez de"),
        rejections=each("falsa|falso|incorrecta|incorrecto|imposible"
                         "|es falsa|es falso|es incorrecta|es incorrecto|es imposible|no"
                         "|queda descartada|son falsas|son incorrectas|son imposibles"),
        affirmations=each("es correcta|es correcto|es la correcta|es la respuesta|es verdadera"
                           "|es cierta"),
        conjunctions=each("y|o|ni"), reasons=each("porque|ya|pues"),
        reason="Primero razona paso a paso {language}.",
        finish="Después escribe la respuesta en una última línea que empiece por «{label}».",
        reply="Da la respuesta {language}.",
        in_own="en español", in_english="en inglés", fertility=1.3,
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
        answer_words=each("الإجابة|الاجابة|الجواب الصحيح|الجواب النهائي|إجابتي|جوابي"
                           "|الخيار الصحيح|الحرف الصحيح|الناتج|النتيجة"),
        links=each("هو|هي|يكون|تكون|يساوي|تساوي"),
        elisions=each("ال"),
        choosing=each("أختار|اختار|اختياري"),
        retractions=each("انتظر|لحظة|تصحيح|عفوا|هذا خطأ|هذا غير صحيح"),
        negations=each("ليس|ليست|وليس|وليست|لا|ولا|بدلا من|غير"),
        rejections=each("خطأ|خاطئ|خاطئة|غير|ليس|ليست|ليسا|ليستا|مستحيل|مستحيلة|لا|مستبعد|مستبعدة"),
        affirmations=each("صحيح|صحيحة|هو الصحيح|هي الصحيحة|هو الجواب|هي الإجابة"),
        conjunctions=each("و|أو|ولا"), reasons=each("لأن|لأنه|لأنها"),
        reason="فكر أولا خطوة بخطوة {language}.",
        finish="ثم اكتب الجواب في سطر أخير يبدأ بعبارة «{label}».",
        reply="اكتب الجواب {language}.", in_own="بالعربية", in_english="بالإنجليزية", fertility=1.6,
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
        answer_words=each("a resposta|resposta final|resposta correta|resposta certa"
                           "|minha resposta|nossa resposta|opção correta|alternativa correta"
                           "|letra correta|o resultado|resultado final"),
        links=each("é|são|seria|será|vale|deve ser"),
        articles=each("o|a|os|as|um|uma|uns|umas"),
        choosing=each("escolho|opto por|fico com|seleciono|minha escolha"),
        retractions=each("espera|espere|um momento|correção|não,|melhor dizendo"
                          "|isso não está certo|isso está errado"),
        negations=each("não|nem|nunca|em vez de|em lugar de"),
        rejections=each("falsa|falso|errada|errado|incorreta|incorreto|impossível"
                         "|é falsa|é falso|está errada|está errado|é incorreta|é incorreto"
                         "|é impossível|não|estão erradas|estão errados|são falsas|são incorretas"
                         "|são impossíveis"),
        affirmations=each("está correta|está correto|está certa|está certo|é correta"
                           "|é a correta|é a resposta|é a certa|é verdadeira"),
        conjunctions=each("e|ou|nem"), reasons=each("porque|pois|já"),
        reason="Primeiro, raciocine passo a passo {language}.",
        finish="Depois, escreva a resposta numa última linha que comece com “{label}”.",
        reply="Dê a resposta {language}.",
        in_own="em português", in_english="em inglês", fertility=1.3,
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
        answer_words=each("la risposta|risposta finale|risposta corretta|risposta giusta"
                           "|risposta esatta|mia risposta|nostra risposta|opzione corretta"
                           "|opzione giusta|lettera corretta|il risultato|risultato finale"),
        links=each("è|sono|sarebbe|sarà|vale|deve essere"),
        articles=each("il|lo|la|i|gli|le|un|uno|una"), elisions=each("l'|un'"),
        choosing=each("scelgo|opto per|seleziono|la mia scelta"),
        retractions=each("aspetta|un momento|correzione|no,|anzi|non è corretto|è sbagliato"),
        negations=each("non|né|mai|invece di|anziché"),
        rejections=each("falsa|falso|sbagliata|sbagliato|errata|errato|impossibile"
                         "|è falsa|è falso|è sbagliata|è sbagliato|è errata|è errato|è impossibile"
                         "|è esclusa|non|sono false|sono sbagliate|sono errate|sono impossibili"),
        affirmations=each("è corretta|è corretto|è giusta|è giusto|è esatta|è quella corretta"
                           "|è quella giusta|è la risposta|è vera"),
        conjunctions=each("e|o|né"), reasons=each("perché|poiché"),
        reason="Prima ragiona passo dopo passo {language}.",
        finish="Poi scrivi la risposta in un'ultima riga che inizi con «{label}».",
        reply="Dai la risposta {language}.",
        in_own="in italiano", in_english="in inglese", fertility=1.3,
        instructions={
            "choice": "Rispondi alla domanda con la lettera dell'opzione corretta.",
            "number": "Risolvi il problema e dai la risposta come numero.",
            "span": "Rispondi alla domanda in poche parole.",
            "translation": "Traduci la frase in inglese.",
            "math": "Risolvi il problema e alla fine dai solo il risultato.",
        },
    ),
)  # fmt: skip
