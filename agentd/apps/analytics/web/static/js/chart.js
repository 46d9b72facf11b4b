// A small chart where one helps: one column of names or times, one of figures. Bars for names, a line for times.

import { columnsOf, isFigure, numeric } from './table.js';
import { t } from './words.js';

const [WIDTH, ROW, HEIGHT, LEFT] = [640, 30, 260, 180];
const MOST = 24;
const TIME = /^(19|20)\d\d(-\d\d){0,2}(T|$)/; // a year, a month, a day; an amount is none of them

function svg(tag, props, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(props)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** An SVG for these rows, or null when a chart would say nothing. */
export function chart(rows) {
  if (rows.length < 2 || rows.length > MOST) return null;
  const columns = columnsOf(rows);
  const times = columns.find((name) => rows.every((row) => TIME.test(String(row[name] ?? ''))));
  const names = times ?? columns.find((name) => !isFigure(rows, name));
  const figures = columns.findLast((name) => name !== names && isFigure(rows, name));
  if (!names || !figures) return null;
  const points = rows.map((row) => ({ name: String(row[names]), shown: String(row[figures]), value: numeric(row[figures]) || 0 }));
  const label = t('ask_chart', { figures: figures.replaceAll('_', ' '), names: names.replaceAll('_', ' ') });
  return times ? line(points.sort((a, b) => a.name.localeCompare(b.name)), label) : bars(points, label);
}

function bars(points, label) {
  const most = Math.max(...points.map((point) => Math.abs(point.value)), 1e-9);
  const rows = points.flatMap((point, index) => {
    const width = (Math.abs(point.value) / most) * (WIDTH - LEFT - 120);
    return [
      svg('text', { x: LEFT - 8, y: index * ROW + 20, 'text-anchor': 'end' }, point.name.slice(0, 24)),
      svg('rect', { class: 'bar', x: LEFT, y: index * ROW + 5, width, height: ROW - 10 }),
      svg('text', { x: LEFT + width + 6, y: index * ROW + 20 }, point.shown),
    ];
  });
  return picture(points.length * ROW, label, rows);
}

function line(points, label) {
  const values = points.map((point) => point.value);
  const [low, high] = [Math.min(0, ...values), Math.max(...values, 1e-9)];
  const x = (index) => 60 + (index * (WIDTH - 120)) / (points.length - 1);
  const y = (value) => HEIGHT - 40 - ((value - low) / (high - low)) * (HEIGHT - 80);
  const path = points.map((point, index) => `${x(index)},${y(point.value)}`).join(' ');
  const ends = [0, points.length - 1].map((index) => svg('text', { x: x(index), y: HEIGHT - 12, 'text-anchor': 'middle' }, points[index].name));
  const top = points[values.indexOf(Math.max(...values))];
  return picture(HEIGHT, label, [
    svg('line', { class: 'axis', x1: 60, x2: WIDTH - 60, y1: y(low), y2: y(low) }),
    svg('polyline', { class: 'line', points: path }),
    svg('text', { x: x(points.indexOf(top)), y: y(top.value) - 10, 'text-anchor': 'middle' }, top.shown),
    ...ends,
  ]);
}

const picture = (height, label, children) =>
  svg('svg', { class: 'chart', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': label }, ...children);
