// A chart where one helps: one column of names or times, one of figures. Chart.js draws it; the table beside says the same.

import { h } from './dom.js';
import { columnsOf, isFigure, named, numeric, shown } from './table.js';
import { lang, t } from './words.js';

const LIBRARY = '../vendor/chartjs/chart.umd.min.js';
const [MOST, BAR_PX, NAME] = [24, 34, 16];
const TIME = /^(19|20)\d\d(-\d\d){0,2}(T|$)/; // a year, a month, a day; an amount is none of them

/** A figure for these rows (`units` of their columns), drawn as soon as the library is here; null when a chart would say nothing. */
export function chart(rows, units) {
  if (rows.length < 2 || rows.length > MOST) return null;
  const columns = columnsOf(rows);
  const times = columns.find((name) => rows.every((row) => TIME.test(String(row[name] ?? ''))));
  const names = times ?? columns.find((name) => !isFigure(rows, name));
  const figures = columns.findLast((name) => name !== names && isFigure(rows, name));
  if (!names || !figures) return null;
  const points = rows.map((row) => ({ name: String(row[names] ?? ''), shown: shown(row[figures], units[figures]), value: numeric(row[figures]) }));
  if (times) points.sort((a, b) => a.name.localeCompare(b.name));
  const [title, by] = [named(figures), named(names)];
  const canvas = h('canvas', { role: 'img', tabindex: '0', 'aria-label': t('ask_chart', { figures: title, names: by }) });
  const spoken = h('p', { class: 'sr-only', role: 'status' });
  const figure = h('figure', { class: 'chart' }, canvas, spoken);
  if (!times) figure.style.height = `${(points.length + 3) * BAR_PX}px`;
  draw(canvas, spoken, points, { title, by, flat: !times, heading: named(figures, units[figures]) }).catch(() => figure.remove()); // the table says it all
  return figure;
}

async function draw(canvas, spoken, points, { title, by, flat, heading }) {
  await import(LIBRARY);
  const css = getComputedStyle(document.documentElement);
  const [ink, main, grid] = ['--ink', '--main', '--line'].map((name) => css.getPropertyValue(name));
  const short = new Intl.NumberFormat(lang(), { notation: 'compact' });
  const axis = (text, more) => ({ title: { display: true, text, color: ink }, ticks: { color: ink, ...more }, grid: { color: grid } });
  const amounts = { beginAtZero: true, ...axis(heading, { callback: (value) => short.format(value) }) };
  const drawn = new globalThis.Chart(canvas, {
    type: flat ? 'bar' : 'line',
    data: { labels: points.map((point) => point.name), datasets: [{ data: points.map((point) => point.value), borderColor: main, backgroundColor: main }] },
    options: {
      animation: false,
      maintainAspectRatio: false,
      indexAxis: flat ? 'y' : 'x',
      interaction: { mode: 'index', intersect: false, axis: flat ? 'y' : 'x' },
      scales: flat ? { x: amounts, y: axis(by, { autoSkip: false, callback: (index) => shortened(points[index].name) }) } : { x: axis(by), y: amounts },
      plugins: {
        legend: { display: false },
        tooltip: {
          displayColors: false,
          callbacks: { label: ({ dataIndex }) => `${title}: ${points[dataIndex].shown}` },
          external: ({ tooltip }) => (spoken.textContent = tooltip.opacity ? [...tooltip.title, ...tooltip.body.flatMap((part) => part.lines)].join(' · ') : ''),
        },
      },
    },
  });
  byKeys(canvas, drawn, points.length);
  canvas.dataset.drawn = 'true';
}

/** A name that leaves room for its bar; the table and the pointer show all of it. */
const shortened = (name) => (name.length > NAME ? `${name.slice(0, NAME - 1)}…` : name);

/** Arrow keys show each point's figure in turn, as the pointer does. */
function byKeys(canvas, drawn, count) {
  let index = -1;
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    index = Math.min(count - 1, Math.max(0, index + step));
    drawn.tooltip.setActiveElements([{ datasetIndex: 0, index }], { x: 0, y: 0 });
    drawn.update();
  });
}
