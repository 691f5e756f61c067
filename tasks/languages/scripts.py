"""Languages of published benchmarks that are written in other scripts than Latin."""

from __future__ import annotations

from tasks.languages.row import Language, each

ROWS = (
    Language(
        code="bn", name="Bengali", endonym="বাংলা", script="Bengali", role="other",
        decimal=".", grouping=",", letters=tuple("কখগঘঙচছজঝঞ"),
        question_word="প্রশ্ন", context_word="প্রসঙ্গ", reasoning_word="যুক্তি",
        answer_word="উত্তর",
        answer_words=each("চূড়ান্ত উত্তর|সঠিক উত্তর|উত্তর হল|উত্তর হলো|উত্তরটি|ফলাফল"),
        links=each("হল|হলো|হবে|হচ্ছে"),
        instructions={
            "choice": "সঠিক বিকল্পের অক্ষর দিয়ে প্রশ্নের উত্তর দিন।",
            "number": "সমস্যাটি সমাধান করুন এবং উত্তরটি সংখ্যায় দিন।",
            "span": "কয়েকটি শব্দে প্রশ্নের উত্তর দিন।",
            "translation": "বাক্যটি ইংরেজিতে অনুবাদ করুন।",
            "math": "সমস্যাটি সমাধান করুন এবং শেষে শুধু ফলাফল লিখুন।",
        },
    ),
    Language(
        code="te", name="Telugu", endonym="తెలుగు", script="Telugu", role="other",
        decimal=".", grouping=",", letters=tuple("అఆఇఈఉఊఋఎఏఐ"),
        question_word="ప్రశ్న", context_word="సందర్భం", reasoning_word="తార్కికం",
        answer_word="సమాధానం",
        answer_words=each("తుది సమాధానం|సరైన సమాధానం|జవాబు|ఫలితం"),
        links=each("అవుతుంది|ఏమిటంటే"),
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
        answer_words=each("คำตอบสุดท้าย|คำตอบที่ถูกต้อง|คำตอบคือ|ตอบว่า|ผลลัพธ์"),
        links=each("คือ|เป็น|เท่ากับ"),
        instructions={
            "choice": "ตอบคำถามด้วยตัวอักษรของตัวเลือกที่ถูกต้อง",
            "number": "แก้โจทย์และตอบเป็นตัวเลข",
            "span": "ตอบคำถามด้วยคำสั้น ๆ",
            "translation": "แปลประโยคเป็นภาษาอังกฤษ",
            "math": "แก้โจทย์และเขียนเฉพาะผลลัพธ์ในตอนท้าย",
        },
    ),
)  # fmt: skip
