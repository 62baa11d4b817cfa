"""Which words of a text tell what it is about, in English and in French. Pure.

There is no count of how often a word occurs elsewhere, so it goes by what is left: words that every text has,
or every auction's, are passed over, and so are numbers, centuries and very short ones. Of the rest,
titles say the important ones first, and longer words are rarer.
"""

import re
from collections.abc import Collection

from schema_registry.core.errors import OutsideDomain
from schema_registry.core.text import words

_CENTURY = re.compile(r"[ivx]+(e|eme|ème|th)?")
SHORTEST, LONGEST = 3, 30
AMONG_THE_FIRST = 8  # of those that tell something
_ENGLISH = (
    "about,after,all,also,and,any,approx,are,around,been,but,can,from,has,have,her,his,into,its,large,lovely,"
    "more,most,near,new,nice,not,old,one,only,other,our,out,over,see,she,small,some,than,that,the,their,them,"
    "they,this,three,two,under,very,was,were,which,with,without,you,your,"
)
_FRENCH = (
    "ainsi,aux,avec,bel,belle,bon,bonne,ces,cette,chez,comme,dans,deux,des,dont,elle,elles,entre,est,grand,"
    "grande,ils,les,leur,leurs,mais,même,neuf,nos,notre,nous,par,pas,petit,petite,peu,plus,pour,quatre,que,"
    "qui,ses,son,sont,sous,sur,très,trois,une,vers,vieux,vos,votre,vous,"
)
_OF_AUCTIONS = (
    "ancien,ancienne,antique,auction,beautiful,cent,century,circa,collection,condition,enchère,état,fine,item,"
    "lot,lots,original,originale,pair,paire,piece,pièce,rare,set,siècle,style,superb,superbe,vente,vintage,"
)
STOP_WORDS = frozenset((_ENGLISH + _FRENCH + _OF_AUCTIONS).split(","))


def telling_words(text: str, *, most: int, said: Collection[str] = ()) -> tuple[str, ...]:
    """At most so many, in the order of the text; `said` are words that would only repeat. O(length)."""
    try:
        found = words(text)
    except OutsideDomain:  # it was longer than a text may be today
        return ()
    telling = [word for word in found if _tells(word) and word not in said][:AMONG_THE_FIRST]
    chosen = sorted(telling, key=len, reverse=True)[:most]
    return tuple(word for word in telling if word in chosen)


def _tells(word: str) -> bool:
    if not SHORTEST <= len(word) <= LONGEST or not word.isalpha():
        return False
    return word not in STOP_WORDS and not _CENTURY.fullmatch(word)
