// Every word of the citizens' pages, in Indonesian and English. It knows the chosen language and nothing else.

const WORDS = {
  id: {
    office: 'Layanan Surat Kelurahan',
    welcome: 'Selamat datang',
    choose: 'Surat apa yang Anda perlukan?',
    ask_else: 'Tanya hal lain',
    hello: 'Halo! Tuliskan keperluan Anda, misalnya “Saya mau surat domisili”. Kami bantu sampai selesai.',
    your_words: 'Tulis pesan',
    send: 'Kirim',
    stop: 'Hentikan',
    stopped: 'Dihentikan.',
    you: 'Anda',
    agent: 'Petugas digital',
    thinking: 'Sedang berpikir…',
    sending: 'Mengirim…',
    queued: 'Menunggu giliran…',
    lost: 'Sambungan terputus. Kami sedang menyambung lagi. Anda tidak perlu mengulang.',
    offline: 'Tidak ada sambungan internet. Pesan dikirim begitu tersambung lagi.',
    form_title: 'Data surat',
    known: 'Sudah diisi',
    missing: 'Belum diisi',
    optional: 'boleh dikosongkan',
    fill: 'Isi',
    change: 'Ubah',
    next: 'Berikutnya',
    done: 'Selesai',
    another: 'Surat lain',
    request_code: 'Kode untuk melihat keadaannya',
    bring: 'Tunjukkan di loket:',
    suggested: 'Contoh isian',
    from_register: 'dari data kependudukan',
    from_citizen: 'dari Anda',
    from_officer: 'dari petugas',
    from_derived: 'dihitung',
    submit: 'Periksa surat',
    submit_change: 'Kirim perubahan',
    back: 'Kembali',
    enlarge: 'Perbesar',
    close: 'Tutup',
    hide: 'Tutup',
    step_fill: 'Isi data',
    step_check: 'Periksa',
    step_get: 'Terima surat',
    privacy: 'Data Anda dihapus dari layar ini begitu Anda selesai.',
    still_missing: 'Masih ada yang belum diisi: {fields}.',
    check: 'Mohon periksa sebelum surat diterbitkan',
    yes: 'Ya, benar',
    edit: 'Ubah',
    no: 'Batalkan',
    preview: 'Pratinjau surat',
    preview_alt: 'Gambar rancangan {title}. Isinya sama dengan daftar data di samping.',
    no_preview: 'Gambar pratinjau belum tersedia.',
    until: 'Berlaku sampai pukul {time}.',
    for_staff: 'Menunggu persetujuan petugas. Surat muncul di sini begitu disetujui.',
    superseded: 'Data ini tidak jadi dipakai.',
    approved: 'Disetujui.',
    letter_ready: 'Surat Anda sudah terbit',
    number: 'Nomor',
    date: 'Tanggal',
    qr_alt: 'Kode QR untuk memeriksa keaslian surat',
    scan: 'Pindai untuk memeriksa keaslian',
    print: 'Cetak surat',
    ticket: 'Cetak nomor antrean',
    ticket_title: 'Nomor antrean',
    ticket_note: 'Tunjukkan nomor ini di loket untuk mengambil surat Anda.',
    open: 'Buka surat',
    printing: 'Menyiapkan cetakan…',
    problem: 'Maaf, ada kendala',
    try_again: 'Coba lagi',
    read_aloud: 'Bacakan',
    contrast: 'Kontras tinggi',
    language: 'English',
    restart: 'Mulai baru',
    finish: 'Selesai',
    idle_title: 'Apakah Anda masih di sini?',
    idle_text: 'Demi kerahasiaan, semua data akan dihapus dalam {seconds} detik.',
    idle_stay: 'Ya, lanjutkan',
    idle_leave: 'Selesai, hapus data',
    wiping: 'Menghapus data…',
    wiped_offline: 'Data Anda sudah dihapus dari layar ini. Layanan sedang tidak tersambung. Layar ini akan kembali dengan sendirinya.',
    wait: 'Sebentar, jawaban sebelumnya belum selesai. Tulisan Anda tetap di sini. Kirim setelah selesai.',
    too_long: 'Teks terlalu panjang. Bagian akhirnya dipotong.',
    not_connected: 'Layanan ini belum tersambung. Silakan hubungi petugas.',
    pair: 'Hubungkan',
    pair_code: 'Kode enam angka dari petugas',
    pair_wrong: 'Kode ini tidak berlaku. Minta kode baru dari pengelola (agentd kiosk pair).',
    enter: 'Masuk',
    leave: 'Keluar',
    token: 'Kode akses',
    login_wrong: 'Kode ini tidak dikenal, atau tidak berlaku untuk halaman ini.',
    login_gone: 'Kode akses tidak berlaku lagi. Masuk dengan kode yang baru.',
    login_offline: 'Layanan tidak dapat dihubungi. Coba lagi sebentar lagi.',
    no_letters: 'Daftar surat belum tersedia. Anda tetap dapat bertanya.',
    nik_hint: '16 angka',
    date_hint: 'tanggal-bulan-tahun, misalnya 05-01-1990',
    keyboard: 'Papan ketik',
    space: 'spasi',
    erase: 'Hapus satu huruf',
    shift: 'Huruf besar',
    digits: '123',
    letters: 'ABC',
    hide_keyboard: 'Tutup papan ketik',
    i_want: 'Saya mau {title}.',
    correction: 'Ubah: {fields}',
    doing: 'Memeriksa {tool}…',
  },
  en: {
    office: 'Village Office Letters',
    welcome: 'Welcome',
    choose: 'Which letter do you need?',
    ask_else: 'Ask something else',
    hello: 'Hello! Write what you need, for example “I need a domicile letter”. We will guide you through it.',
    your_words: 'Write a message',
    send: 'Send',
    stop: 'Stop',
    stopped: 'Stopped.',
    you: 'You',
    agent: 'Digital officer',
    thinking: 'Thinking…',
    sending: 'Sending…',
    queued: 'Waiting for your turn…',
    lost: 'The connection was lost. We are reconnecting. You do not need to send anything again.',
    offline: 'There is no internet connection. Your message will be sent when it is back.',
    form_title: 'Letter data',
    known: 'Filled in',
    missing: 'Still needed',
    optional: 'optional',
    fill: 'Fill in',
    change: 'Change',
    next: 'Next',
    done: 'Done',
    another: 'Another letter',
    request_code: 'Code to see how it stands',
    bring: 'Show at the counter:',
    suggested: 'Examples',
    from_register: 'from the register',
    from_citizen: 'from you',
    from_officer: 'from an officer',
    from_derived: 'derived',
    submit: 'Check the letter',
    submit_change: 'Send the change',
    back: 'Back',
    enlarge: 'Enlarge',
    close: 'Close',
    hide: 'Hide',
    step_fill: 'Fill in',
    step_check: 'Check',
    step_get: 'Get your letter',
    privacy: 'Your data is removed from this screen as soon as you finish.',
    still_missing: 'Still to fill in: {fields}.',
    check: 'Please check before the letter is issued',
    yes: 'Yes, correct',
    edit: 'Change',
    no: 'Cancel',
    preview: 'Preview of the letter',
    preview_alt: 'Picture of the draft {title}. It shows the same data as the list beside it.',
    no_preview: 'No preview picture is available.',
    until: 'Valid until {time}.',
    for_staff: 'Waiting for an officer to approve. The letter appears here as soon as that is done.',
    superseded: 'This data is not used.',
    approved: 'Approved.',
    letter_ready: 'Your letter is ready',
    number: 'Number',
    date: 'Date',
    qr_alt: 'QR code to check that the letter is genuine',
    scan: 'Scan to check that it is genuine',
    print: 'Print the letter',
    ticket: 'Print a queue number',
    ticket_title: 'Queue number',
    ticket_note: 'Show this number at the counter to collect your letter.',
    open: 'Open the letter',
    printing: 'Preparing to print…',
    problem: 'Sorry, something went wrong',
    try_again: 'Try again',
    read_aloud: 'Read aloud',
    contrast: 'High contrast',
    language: 'Indonesia',
    restart: 'Start over',
    finish: 'Finish',
    idle_title: 'Are you still there?',
    idle_text: 'For your privacy, all data will be removed in {seconds} seconds.',
    idle_stay: 'Yes, continue',
    idle_leave: 'Finish, remove my data',
    wiping: 'Removing data…',
    wiped_offline: 'Your data has been removed from this screen. The service cannot be reached right now. This screen will return by itself.',
    wait: 'One moment, the previous answer is still being written. Your text stays here. Send it afterwards.',
    too_long: 'The text is too long. Its end was cut off.',
    not_connected: 'This service is not connected yet. Please ask an officer.',
    pair: 'Connect',
    pair_code: 'Six-digit code from the office',
    pair_wrong: 'This code is not valid. Ask the administrator for a new one (agentd kiosk pair).',
    enter: 'Sign in',
    leave: 'Sign out',
    token: 'Access code',
    login_wrong: 'This code is not known, or not valid for this page.',
    login_gone: 'The access code is no longer valid. Sign in with a new one.',
    login_offline: 'The service cannot be reached. Try again in a moment.',
    no_letters: 'The list of letters is not available yet. You can still ask.',
    nik_hint: '16 digits',
    date_hint: 'day-month-year, for example 05-01-1990',
    keyboard: 'Keyboard',
    space: 'space',
    erase: 'Delete one character',
    shift: 'Capital letters',
    digits: '123',
    letters: 'ABC',
    hide_keyboard: 'Hide the keyboard',
    i_want: 'I need a letter: {title}.',
    correction: 'Change: {fields}',
    doing: 'Checking {tool}…',
  },
};

/** What a tool does, while it does it, in a citizen's words; others by the title their server gives them. */
const DOING = {
  id: {
    get_current_time: 'Memeriksa jam…',
    list_letters: 'Melihat daftar surat…',
    get_letter_requirements: 'Melihat syarat surat…',
    get_letter_status: 'Memeriksa status surat…',
    generate_: 'Menyiapkan surat…',
    list_tools: 'Melihat layanan…',
    ask_books: 'Membuka data kantor…',
  },
  en: {
    get_current_time: 'Checking the time…',
    list_letters: 'Looking at the letters…',
    get_letter_requirements: 'Looking up what the letter needs…',
    get_letter_status: 'Checking the letter…',
    generate_: 'Preparing the letter…',
    list_tools: 'Looking at the services…',
    ask_books: 'Looking at the office data…',
  },
};

/** Words that one page alone shows. */
export function addWords(more) {
  for (const code of Object.keys(more)) Object.assign(WORDS[code], more[code]);
}

let language = 'id';
let chosen = false;

export const lang = () => language;

/** The language the person chose, or undefined: then the agent answers in the language it is spoken to. */
export const chosenLanguage = () => (chosen ? language : undefined);

export function speakIn(code, { byHand = false } = {}) {
  language = code === 'en' ? 'en' : 'id';
  chosen ||= byHand;
  document.documentElement.lang = language;
}

/** t('until', {time: '10.15'}) */
export function t(key, values = {}) {
  return (WORDS[language][key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}

/** "Memeriksa jam…" for a tool's name; `title` is the server's own. */
export function doing(tool, title) {
  const bare = tool.split('__').pop();
  const words = DOING[language];
  const known = words[bare] ?? (bare.startsWith('generate_') ? words.generate_ : null);
  return known ?? t('doing', { tool: title ?? bare.replaceAll('_', ' ') });
}

const locale = () => (language === 'en' ? 'en-GB' : 'id-ID');

/** A date such as "21 November 2026", whatever the clock of this machine says. */
export function day(iso) {
  const date = new Date(`${iso.slice(0, 10)}T12:00:00Z`);
  if (Number.isNaN(date.getTime())) return iso;
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'long', timeZone: 'UTC' }).format(date);
}

export function time(iso) {
  return new Intl.DateTimeFormat(locale(), { timeStyle: 'short', timeZone: 'Asia/Jakarta' }).format(new Date(iso));
}
