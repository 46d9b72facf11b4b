// A table of rows that can be sorted by its columns. Amounts are shown with their unit, other values as they come.

import { fill, h } from './dom.js';
import { lang, t } from './words.js';

/** Rows as objects, with what the figures of columns are in → a region with the table. */
export function dataTable(rows, units = {}) {
  const columns = columnsOf(rows);
  const figures = new Set(columns.filter((name) => isFigure(rows, name)));
  const body = h('tbody');
  let sorted = { name: null, down: false };
  const draw = (list) =>
    fill(body, list.map((row) => h('tr', {}, columns.map((name) => h('td', { class: figures.has(name) ? 'figure' : null }, shown(row[name], units[name]))))));
  const heads = columns.map((name) => {
    const head = h('th', { scope: 'col', class: figures.has(name) ? 'figure' : null, 'aria-sort': 'none' });
    const sort = () => {
      sorted = { name, down: sorted.name === name && !sorted.down };
      for (const other of heads) other.setAttribute('aria-sort', 'none');
      head.setAttribute('aria-sort', sorted.down ? 'descending' : 'ascending');
      draw([...rows].sort((a, b) => compare(a[name], b[name]) * (sorted.down ? -1 : 1)));
    };
    head.append(h('button', { type: 'button', onclick: sort, 'data-act': `sort-${name}` }, named(name, units[name])));
    return head;
  });
  draw(rows);
  return h(
    'div',
    { class: 'table', tabindex: '0', role: 'region', 'aria-label': t('ask_table') },
    h('table', {}, h('caption', {}, t('ask_rows', { count: rows.length })), h('thead', {}, h('tr', {}, heads)), body),
  );
}

export const columnsOf = (rows) => [...new Set(rows.flatMap((row) => Object.keys(row)))];

/** The number in "Rp 1.234,50", "1.234", 12.5 or "12.5"; NaN for anything else. */
export function numeric(value) {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/\d/.test(value)) return NaN;
  const text = value.replace(/^\s*-?\s*(Rp|IDR)\s*/i, (sign) => (sign.includes('-') ? '-' : '')).replace(/\s*%$/, '');
  if (/^-?\d+(\.\d+)?$/.test(text) && !/^-?\d{1,3}\.\d{3}$/.test(text)) return Number(text);
  return /^-?\d{1,3}(\.\d{3})*(,\d+)?$/.test(text) ? Number(text.replaceAll('.', '').replace(',', '.')) : NaN;
}

export function isFigure(rows, name) {
  const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined && value !== '');
  return values.length > 0 && values.every((value) => !Number.isNaN(numeric(value)));
}

function compare(a, b) {
  const [x, y] = [numeric(a), numeric(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  return shown(a).localeCompare(shown(b), lang(), { numeric: true });
}

/** A column's name as words, with the unit of its figures: "TOTAL_SALES" is "total sales (USD)". */
export const named = (name, unit) => (name === name.toUpperCase() ? name.toLowerCase() : name).replaceAll('_', ' ') + (unit ? ` (${unit})` : '');

/** A cell as text: "Rp 1.250.000", "12,5%". */
export function shown(value, unit) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  if (!unit || Number.isNaN(numeric(value))) return String(value);
  const written = new Intl.NumberFormat(lang(), { minimumFractionDigits: Number.isInteger(numeric(value)) ? 0 : 2, maximumFractionDigits: 2 }).format(numeric(value));
  return unit === '%' ? `${written}%` : `${unit} ${written}`;
}
