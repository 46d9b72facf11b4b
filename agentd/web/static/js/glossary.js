// English beside the office's own words (letters, fields, choices, hints). A letter stays Indonesian, and what this page
// sends stays the office's wording; a word that isn't here is shown as the office has it.

import { h } from './dom.js';
import { FIELDS } from './glossary-letters.js';
import { lang } from './words.js';

const ENGLISH = {
  ...FIELDS,
  'Surat Keterangan Domisili': 'Domicile letter',
  'Surat Keterangan Usaha': 'Business letter',
  'Surat Keterangan Tidak Mampu': 'Letter of low income',
  'Surat Pengantar': 'Cover letter to another office',
  'Nama lengkap': 'Full name',
  NIK: 'Identity number',
  'Tempat lahir': 'Place of birth',
  'Tanggal lahir': 'Date of birth',
  'Jenis kelamin': 'Sex',
  Agama: 'Religion',
  'Status perkawinan': 'Marital status',
  Pekerjaan: 'Occupation',
  Kewarganegaraan: 'Nationality',
  'Alamat KTP': 'Address on the identity card',
  'Alamat domisili': 'Where you live now',
  'Alamat tempat tinggal': 'Home address',
  'Alamat usaha': 'Address of the business',
  RT: 'Neighbourhood',
  RW: 'Ward',
  'RT tempat usaha': 'Neighbourhood of the business',
  'RW tempat usaha': 'Ward of the business',
  'Nomor KK': 'Family card number',
  Keperluan: 'Purpose',
  'Melamar pekerjaan': 'Applying for a job',
  'Mendaftar sekolah': 'Enrolling at a school',
  'Membuka rekening bank': 'Opening a bank account',
  'Mengurus BPJS': 'Health insurance (BPJS)',
  'Mengajukan beasiswa': 'Applying for a scholarship',
  'Mengurus KTP atau KK': 'Identity card or family card',
  'Untuk siapa': 'For whom',
  Hubungan: 'Relation to you',
  'Nomor telepon': 'Telephone',
  'Nama usaha': 'Name of the business',
  'Jenis usaha': 'Kind of business',
  'Berusaha sejak': 'In business since',
  'Instansi tujuan': 'Office it is for',
  Kristen: 'Protestant',
  Katolik: 'Catholic',
  Konghucu: 'Confucian',
  'Kepercayaan terhadap Tuhan YME': 'Indigenous faith',
  'Belum Kawin': 'Never married',
  Kawin: 'Married',
  'Cerai Hidup': 'Divorced',
  'Cerai Mati': 'Widowed',
  'Laki-laki': 'Male',
  Perempuan: 'Female',
  WNI: 'Indonesian',
  WNA: 'Foreign',
  'seperti di KTP': 'as on your identity card (KTP)',
  'tempat tinggal sekarang': 'street, number, house',
  'bila berbeda dari alamat domisili': 'if it differs from where you live now',
  'untuk apa surat ini': 'what the letter is for',
  'bila untuk anggota keluarga': 'if it is for a member of your family',
  'mis. anak': 'e.g. anak (child)',
};

/** An office's own word has this in English, unless it is here already. */
export function learn(term, english) {
  if (english) ENGLISH[term] ??= english;
}

/** The word in the page's language, as text. */
export const inWords = (term) => (lang() === 'en' && ENGLISH[term]) || term;

/** The word for a label: in English with the office's own beside it, which is what the letter and the card say. */
export function named(term) {
  if (lang() !== 'en') return term;
  const own = h('span', { lang: 'id', class: ENGLISH[term] ? 'term' : null }, term);
  return ENGLISH[term] ? [ENGLISH[term], ' ', own] : own;
}
