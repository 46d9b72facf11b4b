// The rows of a graph's answer as a table's: a node as its properties, columns in words instead of Cypher. It asks nothing.

import { t } from './words.js';

const FIGURES = ['count', 'sum', 'avg', 'min', 'max', 'collect'];
const FIGURE = /^(\w+)\((?:DISTINCT )?(?:\w+\.)?([\p{L}\w]+|\*)\)$/iu; // avg(r.rating)
const PROPERTY = /^[\p{L}\w]+\.(?:`(.+)`|([\p{L}\w]+))$/u; // m.title

/** "unitPrice" → "unit price" */
const spaced = (name) => name.replaceAll('_', ' ').replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ').toLowerCase();

function heading(column) {
  const [, figure, of] = FIGURE.exec(column) ?? [];
  if (FIGURES.includes(figure?.toLowerCase())) return t(`ask_of_${figure.toLowerCase()}`, { of: spaced(of) });
  const [, quoted, name] = PROPERTY.exec(column) ?? [];
  return quoted ?? (name ? spaced(name) : column);
}

const isNode = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Columns and rows of Graph.ask → rows by heading; of two columns with one heading the second is numbered. */
export function graphTable(columns, rows) {
  const cells = columns.flatMap((column, at) => {
    if (!rows.some((row) => isNode(row[at]))) return [{ name: heading(column), of: (row) => row[at] }];
    const names = new Set(rows.flatMap((row) => Object.keys(row[at] ?? {})));
    return [...names].map((name) => ({ name: spaced(name), of: (row) => row[at]?.[name] }));
  });
  const met = new Map();
  for (const cell of cells) {
    met.set(cell.name, (met.get(cell.name) ?? 0) + 1);
    cell.heading = met.get(cell.name) > 1 ? `${cell.name} ${met.get(cell.name)}` : cell.name;
  }
  return rows.map((row) => Object.fromEntries(cells.map((cell) => [cell.heading, cell.of(row)])));
}
