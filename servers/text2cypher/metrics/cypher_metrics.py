"""The text similarity of two queries, between 0 and 1. Runs nothing.

The text is prepared as in the study: spaces around ( ) : { } -> <- - [ ] , . * / < >, and single spaces elsewhere.
"""

from __future__ import annotations

import functools
import re
import sys
import warnings
from typing import Any

_SIGNS = re.compile(r"->|<-|[(){}:\[\],.*/<>-]")
_KEYWORDS = """
    MATCH OPTIONAL WHERE RETURN WITH UNWIND UNION ALL DISTINCT ORDER BY ASC ASCENDING DESC DESCENDING SKIP
    LIMIT AS AND OR XOR NOT IN IS NULL TRUE FALSE STARTS ENDS CONTAINS CASE WHEN THEN ELSE END EXISTS COUNT
    COLLECT SUM AVG MIN MAX CALL YIELD CREATE MERGE SET DELETE DETACH REMOVE ON FOREACH LOAD CSV FROM USING
    ANY NONE SINGLE
""".split()
_KEYWORD = re.compile(rf"\b(?:{'|'.join(_KEYWORDS)})\b", re.IGNORECASE)


def spaced(query: str) -> str:
    """The query with spaces around each sign."""
    return " ".join(_SIGNS.sub(lambda sign: f" {sign.group()} ", query).split())


def _upper_keywords(text: str) -> str:
    return _KEYWORD.sub(lambda word: word.group().upper(), text)


@functools.cache
def _sentence_bleu() -> Any:
    """nltk's; for two other metrics its package would also import scipy.stats, which takes 2 s."""
    without = {} if "scipy.stats" in sys.modules else {"scipy.stats": None}
    sys.modules.update(without)  # type: ignore[arg-type]  # None: it can't be imported
    try:
        from nltk.translate.bleu_score import sentence_bleu
    finally:
        for name in without:
            del sys.modules[name]
    return sentence_bleu


def bleu(gold: str, generated: str) -> float:
    """nltk's sentence_bleu with default weights and without smoothing."""
    sentence_bleu = _sentence_bleu()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about missing n-grams but returns the study's value
        return float(sentence_bleu([spaced(gold).split()], spaced(generated).split()))


@functools.cache
def _rouge() -> Any:
    _sentence_bleu()  # it also imports nltk
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], use_stemmer=True)


def rouge_l_f1(gold: str, generated: str) -> float:
    """rouge-score's rougeL F1 with stemming, rounded to 4 places."""
    return round(float(_rouge().score(spaced(gold), spaced(generated))["rougeL"].fmeasure), 4)


def jaro_winkler(gold: str, generated: str) -> float:
    """textdistance's Jaro-Winkler similarity, with keywords in upper case."""
    import textdistance

    return float(textdistance.jaro_winkler(_upper_keywords(spaced(gold)), _upper_keywords(spaced(generated))))


def jaccard_cypher(gold: str, generated: str) -> float:
    """Shared words divided by all words, without signs, keywords in upper case; two empty texts give 1."""
    first, second = (set(_upper_keywords(_SIGNS.sub(" ", query)).split()) for query in (gold, generated))
    return len(first & second) / len(first | second) if first | second else 1.0


def cypher_metrics(gold: str, generated: str) -> dict[str, float]:
    """All four metrics, by the column names of the results."""
    return {
        "bleu": bleu(gold, generated),
        "rouge_l_f1": rouge_l_f1(gold, generated),
        "jaro_winkler": jaro_winkler(gold, generated),
        "jaccard_cypher": jaccard_cypher(gold, generated),
    }
