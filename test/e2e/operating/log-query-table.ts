import type { Line } from './log-lines.ts';

/**
 * The result of the dashboard's Logs Insights query over these lines: its `fields`, `sort` and limit; of
 * its filters the event and `ispresent`.
 */
export function logQueryHtml(query: string, lines: readonly Line[]): string {
  const part = (pattern: RegExp) => pattern.exec(query)?.[1] ?? '';
  const event = part(/event = "([^"]+)"/);
  const required = part(/ispresent\(([\w.]+)\)/);
  const by = part(/sort ([\w.]+) desc/);
  const fields = part(/fields ([^|\n]+)/)
    .split(',')
    .map((field) => field.trim());
  const rows = lines
    .flatMap(({ fields }) => (fields?.['event'] === event ? [fields] : []))
    .filter((fields) => valueAt(fields, required) !== undefined)
    .sort((a, b) => Number(valueAt(b, by)) - Number(valueAt(a, by)))
    .slice(0, ROWS);
  const head = fields.map((field) => `<th style="${CELL};font-weight:bold">${field}</th>`).join('');
  const body = rows.map(
    (row) =>
      `<tr>${fields.map((field) => `<td style="${CELL}">${cellText(row, field)}</td>`).join('')}</tr>`,
  );
  return `<table style="border-collapse:collapse;font-size:8.5px;margin:4px 8px">${head}${body.join('')}</table>`;
}

/** The rows that the widget shows without scrolling. */
const ROWS = 9;

const CELL =
  'text-align:left;padding:2px 5px 2px 0;border-bottom:1px solid #eaeded;white-space:nowrap';

function cellText(fields: object, field: string): string {
  if (field === '@timestamp') return String(valueAt(fields, 'timestamp')).slice(11, 19);
  const value = valueAt(fields, field);
  return typeof value === 'number' ? value.toFixed(5) : String(value ?? '');
}

function valueAt(fields: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, name) => (inner as Readonly<Record<string, unknown>> | undefined)?.[name],
      fields,
    );
}
