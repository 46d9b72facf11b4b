"""The phrases that steer a sentence (labels, persons, negations …) and how they are found. It draws no conclusions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from agentd.agent.text import folded, normal, tokens, vocabulary


class Cue(Enum):
    """What a phrase does to the words around it."""

    LABEL = "names a field"
    RELATION = "names somebody else"
    SELF = "the citizen"
    PRONOUN = "whoever was spoken of last"
    BESIDE = "puts the next person beside the citizen"
    NEGATION = "denies what follows"
    TURN = "ends a denial"
    CORRECTION = "announces another value"
    WRONG = "takes back what was said before it"
    UNSURE = "leaves open what stands around it"
    QUESTION = "asks"
    EXAMPLE = "makes an example, a condition or a report of what follows"
    LOOKUP = "asks to look something up"
    FIXED = "a phrase that only looks like one of the others"


class Mark(NamedTuple):
    """One cue in a sentence: its first token, the token after its last, what it does, its value (a label, a person)."""

    start: int
    end: int
    cue: Cue
    value: str


LABELS: dict[str, str] = {
    "nik": (
        "nik|no nik|nomor nik|no . nik|nik ktp|ktp|no ktp|no . ktp|nomor ktp|nomor induk kependudukan|id number|"
        "national id|identity number|id card number|national id number|nomor induk|noktp"
    ),
    "kk": (
        "kk|no kk|no . kk|nomor kk|kartu keluarga|no kartu keluarga|nomor kartu keluarga|family card|"
        "family card number|no . kartu keluarga"
    ),
    "nama": (
        "nama|nama lengkap|name|full name|bernama|atas nama|a . n|a . n .|an .|namaku|called|nama pemohon|nama warga|nm"
    ),
    "tempat_lahir": (
        "tempat lahir|kota lahir|kota kelahiran|tempat kelahiran|place of birth|birthplace|birth place|"
        "city of birth|kelahiran|tmpt lahir|tpt lahir"
    ),
    "tanggal_lahir": (
        "tanggal lahir|tgl lahir|tgl . lahir|tanggal kelahiran|date of birth|birth date|birthdate|birthday|dob|"
        "tggl lahir|tanggal lahirku|d . o . b"
    ),
    "lahir": (
        "lahir|dilahirkan|born|ttl|tempat tanggal lahir|tempat dan tanggal lahir|tempat / tanggal lahir|"
        "tempat / tgl lahir|tempat / tgl . lahir|tempat , tanggal lahir|tempat , tgl lahir|tempat tgl lahir|"
        "lahirnya|place and date of birth|place / date of birth|tempat & tanggal lahir|t . t . l"
    ),
    "alamat": (
        "alamat|beralamat|beralamatkan|alamat lengkap|address|alamatku|full address|alamat rumah|home address|"
        "alamat tinggal"
    ),
    "alamat_domisili": (
        "alamat domisili|domisili di|berdomisili|tinggal di|bertempat tinggal|tempat tinggal|"
        "alamat tempat tinggal|alamat sekarang|alamat saat ini|live at|live in|living at|living in|tinggal|"
        "reside at|reside in|residing at|residing in|current address|ngontrak di|ngekos di|kos di|kontrak di|"
        "menetap di|rumah saya di|rumah di|domisiliku|domisili saya|tinggalnya di|domisili sekarang|bermukim di|"
        "mengontrak di|residential address|domisili nya"
    ),
    "alamat_ktp": (
        "alamat ktp|alamat di ktp|alamat sesuai ktp|alamat pada ktp|alamat menurut ktp|alamat asal|ktp saya di|"
        "ktp beralamat|ktp alamat|address on my id|id card address|ktp address|alamat asal sesuai ktp|"
        "sesuai ktp di|alamat dalam ktp"
    ),
    "alamat_usaha": (
        "alamat usaha|alamat toko|alamat warung|lokasi usaha|tempat usaha|usaha saya di|toko saya di|"
        "warung saya di|business address|alamat tempat usaha|usahanya di|warungnya di|tokonya di|lokasinya di"
    ),
    "x:alamat": (
        "alamat kantor|alamat sekolah|alamat kampus|alamat perusahaan|alamat kerja|office address|"
        "alamat orang tua|pindah ke|pindah dari|pindahan dari|asal dari|berasal dari|alamat lama|alamat email|"
        "kerja di|bekerja di|kantor di|work at|alamat tujuan|dekat|seberang|sebelah|belakang|moved from|moving to|"
        "near|rumah lama|sekolah di|kuliah di|rumah kedua|usaha di|toko di|warung di|jualan di|pasar di|"
        "alamat dulu|villa di|previous address|old address|rt / rw lama|asal"
    ),
    "rt": "rt|rukun tetangga",
    "rw": "rw|rukun warga",
    "rtrw": "rt / rw|rt rw|rt dan rw|rt - rw|rt & rw|rt / rw nya|rt and rw",
    "telepon": (
        "no hp|no . hp|nomor hp|hp|handphone|no handphone|telepon|telpon|telp|no telp|no . telp|nomor telepon|"
        "no telepon|nomor telpon|no telpon|nomor telp|wa|whatsapp|no wa|nomor wa|no . wa|nomor whatsapp|phone|"
        "phone number|mobile|mobile number|kontak|nomor kontak|cell|telephone|telephone number|contact number"
    ),
    "agama": "agama|beragama|religion|agamaku",
    "status_perkawinan": "status|status perkawinan|status pernikahan|marital status|statusku|perkawinan",
    "jenis_kelamin": "jenis kelamin|kelamin|gender|sex|jk|j / k",
    "pekerjaan": (
        "pekerjaan|kerjaan|profesi|kerja sebagai|bekerja sebagai|kerja jadi|bekerja selaku|occupation|profession|"
        "work as|working as|my job|job|pekerjaanku|kerjaanku|berprofesi|berprofesi sebagai|pekerjaan sebagai|"
        "kerja|bekerja|works as|jabatan|sebagai"
    ),
    "kewarganegaraan": "kewarganegaraan|warga negara|nationality|citizenship",
    "pendidikan": "pendidikan|pendidikan terakhir|lulusan|tamatan|education|ijazah terakhir",
    "golongan_darah": "golongan darah|gol darah|goldar|blood type",
    "keperluan": (
        "keperluan|keperluannya|tujuan|tujuannya|guna|untuk keperluan|untuk|buat keperluan|purpose|dalam rangka|"
        "keperluan saya|the purpose|i need it for|need it for|for the purpose of|it is for|dipakai untuk|"
        "digunakan untuk|buat|in order to|for"
    ),
    "instansi": (
        "instansi|instansi tujuan|instansi yang dituju|ditujukan ke|ditujukan kepada|tujuan ke|tujuannya ke|"
        "addressed to|diserahkan ke|diserahkan kepada|dibawa ke"
    ),
    "hubungan": "hubungan|hubungan keluarga|relationship|hubungannya",
    "email": "email|e - mail|surel|alamat email",
    "umur": "umur|usia|berumur|berusia|age|aged",
    "nama_usaha": (
        "nama usaha|nama toko|nama warung|nama bisnis|business name|usaha bernama|usaha saya bernama|toko bernama|"
        "warung bernama|usahanya bernama|usaha saya namanya|usahanya namanya|bisnis bernama|nama usahanya|"
        "shop name"
    ),
    "jenis_usaha": (
        "jenis usaha|bidang usaha|usaha saya|usahanya|type of business|bidangnya|bergerak di bidang|punya usaha|"
        "jenis usahanya|membuka usaha|buka usaha|usaha"
    ),
    "penghasilan": (
        "penghasilan|pendapatan|gaji|income|salary|penghasilan per bulan|penghasilan saya|penghasilan bulanan|"
        "berpenghasilan|gajinya|omzet|omset"
    ),
    "x:nama": (
        "nama panggilan|nama sekolah|nama perusahaan|nama jalan|nama kampus|nama instansi|nickname|nama rt|"
        "nama lama|nama samaran|nama akun|username|nama petugas|nama lurah|nama desa|nama kota|nama pt|nama lain|"
        "nama alias|dipanggil|panggil saya|call me|nama bank|nama gang|nama hewan|company name|nama kucing|"
        "nama pengguna|nama ketua"
    ),
    "x:tanggal": (
        "terbit|tanggal terbit|diterbitkan|dikeluarkan|tanggal pengeluaran|berlaku hingga|berlaku sampai|sejak|"
        "sejak tanggal|tanggal surat|tanggal pindah|tanggal nikah|tanggal menikah|menikah tanggal|"
        "tanggal pernikahan|issued|issue date|date of issue|expires|expiry date|valid until|since|hari ini|"
        "per tanggal|mulai|mulai tanggal|tanggal masuk|tanggal pembuatan|besok|kemarin|menikah pada|issued on|"
        "meninggal|wafat|deadline|sampai tanggal|tanggal cetak|jatuh tempo|tanggal daftar|menikah pada tanggal|"
        "berlaku|tanggal berlaku|pada tanggal|tertanggal|dibuat tanggal|dibuat|moved on"
    ),
    "x:nomor": (
        "npwp|no npwp|nomor npwp|rekening|no rekening|nomor rekening|no . rekening|sim|no sim|nomor sim|paspor|"
        "passport|no paspor|nomor paspor|bpjs|no bpjs|nomor bpjs|nomor antrian|no antrian|nomor surat|no surat|"
        "resi|nomor resi|pin|otp|nomor registrasi|kode pos|postal code|nomor kartu|no kartu|virtual account|"
        "account number|nomor akta|no akta|nip|nisn|nomor seri|nomor peserta|card number|token|nomor pendaftaran|"
        "nomor polisi|tracking number|nib|kode"
    ),
}
"""A label's phrases. Those that begin with `x:` name things that are no field of an applicant."""

_RELATIONS: dict[str, str] = {
    "ayah": "ayah|bapak|papa|father|dad|ayahku|bapakku|ayahanda|bokap",
    "ibu": "ibu|mama|mother|mom|mum|ibuku|mamaku|emak|ibunda|nyokap|ibu kandung",
    "suami": "suami|husband|suamiku|laki gue",
    "istri": "istri|isteri|wife|istriku|bini",
    "anak": ("anak|son|daughter|child|anakku|putra|putri|anak perempuan|anak laki - laki|anak laki laki|kid"),
    "saudara": "kakak|adik|adek|saudara|brother|sister|kakakku|adikku|abang|sibling|kembaran",
    "mertua": (
        "mertua|ibu mertua|bapak mertua|ayah mertua|mother in law|father in law|mother - in - law|father - in - law"
    ),
    "kakek": "kakek|grandfather|opa",
    "nenek": "nenek|grandmother|oma",
    "paman": "paman|om|uncle|pakde|paklik",
    "bibi": "bibi|tante|aunt|bude|bulik",
    "sepupu": "sepupu|cousin",
    "keponakan": "keponakan|ponakan|nephew|niece",
    "cucu": "cucu|grandson|granddaughter",
    "menantu": "menantu",
    "teman": ("teman|kawan|friend|temanku|sahabat|rekan|teman kerja|roommate|colleague|coworker|temen"),
    "tetangga": "tetangga|neighbor|neighbour",
    "pacar": "pacar|girlfriend|boyfriend|tunangan|fiance|calon suami|calon istri",
    "orang tua": "orang tua|orangtua|parents|parent|ortu",
    "kepala keluarga": "kepala keluarga|head of family|head of the family|head of household",
    "majikan": (
        "majikan|bos|boss|atasan|employer|pemilik rumah|pemilik kos|ibu kos|bapak kos|landlord|pemilik kontrakan|"
        "landlady"
    ),
    "pejabat": ("ketua rt|ketua rw|pak rt|pak rw|bu rt|bu rw|pak lurah|bu lurah|lurah|camat|petugas|saksi"),
    "ahli waris": "ahli waris|penjamin|heir|guarantor|penanggung jawab|pemberi kuasa|penerima kuasa",
    "pelanggan": "pelanggan|klien|pasien|penyewa|tamu|client|customer|tenant|karyawan saya|murid saya|pegawai saya",
    "wali": (
        "wali murid|wali kelas|wali|guardian|pelapor|almarhum|almarhumah|keluarga saya|pasangan|spouse|orang lain|"
        "someone|somebody|seseorang"
    ),
}
SALUTATIONS = frozenset(
    {
        "bapak",
        "ibu",
        "mama",
        "papa",
        "kakak",
        "abang",
        "om",
        "tante",
        "saudara",
        "adik",
        "adek",
        "putra",
        "putri",
        "lurah",
        "petugas",
        "pak lurah",
        "bu lurah",
        "pak rt",
        "bu rt",
        "pak rw",
        "bu rw",
        "bos",
        "rekan",
        "bunda",
    }
)
"""Words that are also ways of addressing the office: they name somebody else only with `saya` or after a label."""

SELF = vocabulary("saya aku gue gua gw sy ku i my me mine kami")
_PHRASES: dict[Cue, str] = {
    Cue.SELF: "ku|saya|aku|gue|gua|gw|sy|i|my|mine|kami|diri saya|saya sendiri|myself",
    Cue.PRONOUN: "dia|ia|beliau|nya|mereka|his|her|he|she|their|they|him",
    Cue.BESIDE: (
        "bersama|tinggal bersama|tinggal dengan|tinggal sama|hidup bersama|ikut|rumah|di rumah|serumah dengan|"
        "live with|living with|kontrakan|tinggal ikut|tinggal di rumah|bareng"
    ),
    Cue.NEGATION: (
        "tidak jadi|nggak jadi|gak jadi|ga jadi|bukan untuk|tidak untuk|not true|not true that|untrue that|"
        "false that|tidak benar bahwa|bukan berarti|tidak bekerja sebagai|tidak bekerja di|belum bekerja sebagai|"
        "tidak kerja sebagai|sudah tidak|tidak lagi|bukan lagi|bukan|tidak|tak|nggak|gak|ga|enggak|ngga|tdk|"
        "jangan|belum|blm|not|isn ' t|don ' t|never|no longer|dulu|dahulu|dulunya|tadinya|sebelumnya|semula|"
        "pernah|mantan|bekas|formerly|previously|used to|akan|nanti|bakal|rencananya|will|bukanlah|tanpa|kecuali|"
        "awalnya|wasn ' t|aren ' t|doesn ' t|instead of|rather than|isnt|dont|salah satu|calon|hampir"
    ),
    Cue.TURN: ("tapi|tetapi|melainkan|but|sekarang|kini|saat ini|now|namun|currently|yang benar adalah"),
    Cue.CORRECTION: (
        "yang bener|yang bnr|"
        "yang benar|yang betul|ralat|koreksi|maksud saya|maksudnya|maksudku|harusnya|seharusnya|mestinya|"
        "ganti|diganti|ganti jadi|ubah|ubah jadi|diubah|diubah menjadi|correction|i mean|i meant|actually|no wait|"
        "should be|eh|eh maaf|maaf maksud saya|sorry|sebenarnya|sebetulnya|change it to|perbaikan|revisi|maaf|"
        "oh bukan|change|perbaiki|wait"
    ),
    Cue.WRONG: (
        "salah|keliru|wrong|incorrect|salah ketik|typo|salah tulis|tidak benar|nggak benar|gak benar|tidak betul|"
        "is wrong|batal|bukan itu|tidak tepat|mistaken|not right|not correct"
    ),
    Cue.QUESTION: (
        "boleh tidak|bisa tidak|boleh gak|bisa gak|boleh nggak|bisa nggak|boleh ga|bisa ga|apakah|apa|siapa|"
        "siapakah|berapa|berapakah|bagaimana|gimana|kapan|kenapa|mengapa|dimana|kemana|benarkah|validkah|bisakah|"
        "bolehkah|adakah|perlukah|haruskah|whether|what|who|whose|how|when|where|why|which|is it|is this|is that|"
        "does|did|is|are|do i|do you|betulkah|sahkah|di mana|apa benar|apa betul|apa bisa|emang|memangnya|masa"
    ),
    Cue.EXAMPLE: (
        "terjemahkan|translate|ulangi|ulangi kalimat|repeat|repeat after|kalimat ini|tulis cerita|cerita|puisi|"
        "story|parafrase|paraphrase|ringkas|summarize|fotokopi|daftar warga|data orang|assume|assuming|"
        "hypothetically|hypothetical|supposedly|as if|let us say|imagining|asumsikan|diasumsikan|tertulis|tertera|"
        "tercantum|contoh|contohnya|misal|misalnya|misalkan|umpama|umpamanya|seumpama|ibaratnya|e . g|e . g .|"
        "for example|for instance|example|such as|formatnya|dummy|kalau|kalo|klo|jika|apabila|bila|andai|andaikan|"
        "seandainya|bilamana|if|suppose|supposing|what if|katanya|kata|bilang|menurut|konon|dengar|denger|said|"
        "says|according to|asal isi|tebak|anggap|anggap saja|anggaplah|pretend|imagine|bayangkan|pura - pura|"
        "pura pura|let ' s say|sebut saja|isi saja|isikan saja|terserah|karang|karang saja|whatever|make up|"
        "berpura - pura|placeholder|template|guess|told me|seperti contoh|dianggap|apply as|ngarang|ngasal|"
        "asal saja|test data|data uji|data contoh|ditanya|jawab saja|berpikir|mirip|seolah|seolah - olah|bacakan|"
        "tulisannya|tulisan|berbunyi"
    ),
    Cue.UNSURE: (
        "ragu|ragu - ragu|ragu ragu|meragukan|sangsi|curiga|yakin tidak|tidak tahu apakah|not certain|doubt|"
        "mungkin|kayaknya|sepertinya|kira - kira|kira kira|kayanya|lupa|entah|maybe|perhaps|i think|not sure|"
        "tidak yakin|kurang yakin|nggak yakin|gak yakin|probably|kalau tidak salah|kalau nggak salah|"
        "kalo gak salah|kalau gak salah|kalo ga salah|kalau ga salah|might be|could be|may be|if i remember|"
        "rasanya|perkiraan|sekitar"
    ),
    Cue.LOOKUP: (
        "seperti|cek|check|periksa|validasi|verifikasi|cari|carikan|lookup|look up|search|verify|dicek|cekkan|"
        "lihat data|hapus|delete|cocokkan|bandingkan|compare|temukan|find|tahu|kenal|tau|know"
    ),
    Cue.FIXED: (
        "anak agung|untuk datanya|untuk data|buat datanya|ibu rumah tangga|bapak rumah tangga|"
        "mengurus rumah tangga|rumah tangga|belum kawin|belum menikah|belum nikah|blm kawin|blm nikah|blm menikah|"
        "belum pernah menikah|belum pernah kawin|tidak kawin|tidak menikah|not married|never married|"
        "tidak bekerja|belum bekerja|belum / tidak bekerja|tidak sekolah|belum sekolah|tidak mampu|kurang mampu|"
        "tidak tetap|not working|guru agama|terlebih dahulu|lebih dulu|dulu ya|terima kasih|selamat|tidak salah|"
        "tidak masalah|no problem|ibu kota|ya pak|ya bu|bapak / ibu|bapak ibu|anak - anak|pakaian anak|baju anak|"
        "jalan bapak|warga negara indonesia|tempat tinggal saya|surat domisili|keterangan domisili|"
        "surat keterangan usaha|keterangan usaha|surat usaha|keterangan domisili usaha|is my name|ny .|jl . ibu|"
        "jalan ibu|r . a|kantor kelurahan|buat surat|bikin surat|buatkan|dibuatkan|buatkan saya|buat suratnya|"
        "mau buat|ingin buat|tolong buat|buat domisili|tanggal 17 agustus|belum punya|tidak punya|tidak ada|"
        "kerja bakti|surat kerja|lamar kerja|melamar kerja|melamar pekerjaan|cari kerja|mencari kerja|"
        "mencari pekerjaan|cari pekerjaan|apply for a job|find a job|job application|apply for work|dunia kerja|"
        "pindah kerja|izin kerja|izin usaha|modal usaha|pinjaman usaha|buka usaha baru|pengajuan kredit usaha|"
        "kredit usaha|kredit usaha rakyat|for me|for myself|untuk saya|buat saya|untuk saya sendiri|surat untuk|"
        "letter for|certificate for|surat buat|looking for a job|asking for|request for|tidak tahu|thanks for|"
        "data untuk|datanya untuk|pembuatan ktp|buka rekening|membuka rekening|pembukaan rekening|membuat paspor|"
        "buat paspor|bikin paspor|urus paspor|mengurus paspor|pembuatan paspor|membuat ktp|buat ktp|bikin ktp|"
        "perpanjang ktp|perpanjang sim|membuat sim|bikin sim|buat sim|mengurus ktp|urus ktp|pendaftaran bpjs|"
        "daftar bpjs|mengurus bpjs|urus bpjs|mengurus kk|urus kk|pecah kk|buat kk|bikin kk|pendaftaran sekolah|"
        "open a bank account|bank account|make a passport|a passport|pengurusan paspor|pengurusan sim|"
        "pembukaan rekening bank|buka rekening bank|membuat npwp|bikin npwp|buat npwp|daftar sekolah anak|"
        "sekolah anak|mendaftarkan anak|mendaftar sekolah anak|beasiswa anak|anak sekolah|nikah anak|"
        "tidak keberatan|tanpa gelar|satu kata|dua kata|tiga kata|kata sandi"
    ),
}

Entry = tuple[tuple[str, ...], Cue, str]


class Lexicon:
    """Every phrase, by its first word, the longest first. A schema's own labels come on top of the common ones."""

    __slots__ = ("_entries", "_sizes", "_stems")

    def __init__(self, labels: Iterable[tuple[str, str]]) -> None:
        """`labels`: (phrase, label) of the fields that the common table doesn't know."""
        entries: dict[tuple[str, ...], Entry] = {}
        for cue, phrases in _PHRASES.items():
            if cue is not Cue.FIXED:
                entries |= {words: (words, cue, "") for words in map(_words, phrases.split("|"))}
        for person, phrases in _RELATIONS.items():
            entries |= {words: (words, Cue.RELATION, person) for words in map(_words, phrases.split("|"))}
        for label, phrases in LABELS.items():
            entries |= {words: (words, Cue.LABEL, label) for words in map(_words, phrases.split("|"))}
        entries |= {words: (words, Cue.FIXED, "") for words in map(_words, _PHRASES[Cue.FIXED].split("|"))}
        for phrase, label in labels:
            words = _words(phrase)
            if words and (words not in entries or entries[words][2].startswith("x:")):
                entries[words] = (words, Cue.LABEL, label)
        self._entries = {words: (cue, value) for words, cue, value in entries.values()}
        self._sizes: dict[str, tuple[int, ...]] = {}
        for words in entries:
            self._sizes[words[0]] = tuple(sorted({len(words), *self._sizes.get(words[0], ())}, reverse=True))
        self._stems = {word for words, cue, _ in entries.values() if cue in (Cue.LABEL, Cue.RELATION) for word in words}

    def suffix(self, word: str) -> int:
        """How many letters of a folded word are its `nya` or `ku`: `alamatnya` has three, `hanya` none."""
        size = 3 if word.endswith("nya") else 2 if word.endswith("ku") else 0
        return size if size and word[:-size] in self._stems else 0

    def marks(self, words: Sequence[str]) -> list[Mark]:
        """The cues in folded tokens, in order, none inside another."""
        found: list[Mark] = []
        sizes, entries = self._sizes, self._entries
        end = 0
        for at, word in enumerate(words):
            if at < end or word not in sizes:
                continue
            for size in sizes[word]:
                entry = entries.get(tuple(words[at : at + size])) if at + size <= len(words) else None
                if entry is not None:
                    end = at + size
                    found.append(Mark(at, end, *entry))
                    break
        return found

    def label(self, phrase: str) -> str | None:
        """The label that a whole phrase is."""
        cue, value = self._entries.get(_words(phrase), (None, ""))
        return value if cue is Cue.LABEL else None


def person(words: Sequence[str]) -> str | None:
    """The relation that a field's own name speaks of (`nama ibu` → ibu), if any."""
    joined = f" {' '.join(words)} "
    named = [
        (len(phrase), relation)
        for relation, phrases in _RELATIONS.items()
        for phrase in phrases.split("|")
        if f" {phrase} " in joined
    ]
    return max(named)[1] if named else None


@lru_cache(maxsize=512)
def _words(phrase: str) -> tuple[str, ...]:
    return tuple(folded(token) for token in tokens(normal(phrase)) if token.strip())
