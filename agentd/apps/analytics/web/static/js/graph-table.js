// The rows of a graph's answer as a table's: a node as its properties, its names in words. It asks nothing.

/** "unitPrice" → "unit price" */
const spaced = (name) => name.replaceAll('_', ' ').replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ').toLowerCase();

const isNode = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Headings and rows of Graph.ask → rows by heading; of two columns with one heading the second is numbered. */
export function graphTable(headings, rows) {
  const cells = headings.flatMap((heading, at) => {
    if (!rows.some((row) => isNode(row[at]))) return [{ name: heading, of: (row) => row[at] }];
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
