"""Which language a citizen writes: Indonesian or English, by the small words. Nothing is translated anywhere."""

from __future__ import annotations

import re

from agentd.errors import Language

_INDONESIAN = frozenset(
    """ada adalah agar akan aku anda apa apakah atas bagaimana bapak belum benar berapa bisa boleh bu buat dan dari
    dengan di ia ibu ini itu iya jika juga kami kapan karena kartu ke kepada kok kota lahir mana mau minta mohon
    nama nomor pada pak perlu sama saya sebagai selamat sore siang malam pagi siapa sudah surat syarat tanggal
    terima kasih tidak tinggal tolong untuk urus warga yang ya""".split()
)
_ENGLISH = frozenset(
    """a about am an and are at be birth can certificate could date do does for from have hello help hi how i id in
    is it letter live make me my name need number of on or please residence thank that the there they this to
    was want what when where which who why will with would yes you your""".split()
)


def detect(text: str, default: Language = "id") -> Language:
    """The language of a text; a text of neither's words (a name, a number) keeps the default."""
    words = re.findall(r"[a-z]+", text.casefold())
    indonesian = sum(word in _INDONESIAN for word in words)
    english = sum(word in _ENGLISH for word in words)
    if indonesian == english:
        return default
    return "id" if indonesian > english else "en"
