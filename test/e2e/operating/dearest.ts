import type { Line } from './logged.ts';

/**
 * The answer to the dashboard's one query, from the lines it would be asked of: its fields, sorted and
 * cut as it says; of its filters the event and that a field is there.
 */
export function dearestHtml(query: string, lines: readonly Line[]): string {
  const part = (pattern: RegExp) => pattern.exec(query)?.[1] ?? '';
  const event = part(/event = "([^"]+)"/);
  const there = part(/ispresent\(([\w.]+)\)/);
  const by = part(/sort ([\w.]+) desc/);
  const fields = part(/fields ([^|\n]+)/)
    .split(',')
    .map((field) => field.trim());
  const rows = lines
    .flatMap(({ members }) => (members?.['event'] === event ? [members] : []))
    .filter((members) => valueAt(members, there) !== undefined)
    .sort((a, b) => Number(valueAt(b, by)) - Number(valueAt(a, by)))
    .slice(0, ROWS);
  const head = fields.map((field) => `<th style="${CELL};font-weight:bold">${field}</th>`).join('');
  const body = rows.map(
    (row) =>
      `<tr>${fields.map((field) => `<td style="${CELL}">${told(row, field)}</td>`).join('')}</tr>`,
  );
  return `<table style="border-collapse:collapse;font-size:8.5px;margin:4px 8px">${head}${body.join('')}</table>`;
}

/** As many as the widget shows without scrolling. */
const ROWS = 9;

const CELL =
  'text-align:left;padding:2px 5px 2px 0;border-bottom:1px solid #eaeded;white-space:nowrap';

function told(members: object, field: string): string {
  if (field === '@timestamp') return String(valueAt(members, 'timestamp')).slice(11, 19);
  const value = valueAt(members, field);
  return typeof value === 'number' ? value.toFixed(5) : String(value ?? '');
}

function valueAt(members: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, name) => (inner as Readonly<Record<string, unknown>> | undefined)?.[name],
      members,
    );
}
