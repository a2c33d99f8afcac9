import { readFileSync, writeFileSync } from 'node:fs';
import { formatTables } from './report.ts';

// `npm run scale` calculates the tables of docs/scale-and-cost.md and writes them there.

const PAGE = 'docs/scale-and-cost.md';

let page = readFileSync(PAGE, 'utf8');
for (const [name, table] of Object.entries(formatTables())) {
  const place = new RegExp(`(<!-- ${name}: [^>]*-->\n\n).*?(\n\n<!-- end -->)`, 's');
  page = page.replace(place, (_, before: string, after: string) => `${before}${table}${after}`);
}
writeFileSync(PAGE, page);
