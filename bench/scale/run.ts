import { readFileSync, writeFileSync } from 'node:fs';
import { ceilingChart, courseChart } from './charts.ts';
import { type Run, tablesOf } from './report.ts';
import { PLOTTED, SCENARIOS } from './scenarios.ts';
import { simulate } from './simulate.ts';

// npm run scale   simulates every scenario, and writes the tables and charts of docs/scale.md

const PAGE = 'docs/scale.md';

const runs: readonly Run[] = SCENARIOS.map((scenario) => {
  const outcome = simulate(scenario.demand, scenario.setting);
  console.log(`${scenario.name}: ${outcome.failedJobs} of ${outcome.jobs} jobs failed`);
  return { scenario, outcome };
});

let page = readFileSync(PAGE, 'utf8');
for (const [name, table] of Object.entries(tablesOf(runs))) {
  const place = new RegExp(`(<!-- ${name}: [^>]*-->\n\n).*?(\n\n<!-- end -->)`, 's');
  page = page.replace(place, (_, before: string, after: string) => `${before}${table}${after}`);
}
writeFileSync(PAGE, page);
writeFileSync('docs/images/scale-ceilings.svg', ceilingChart());
writeFileSync(
  'docs/images/scale-courses.svg',
  courseChart(runs.filter(({ scenario }) => PLOTTED.includes(scenario))),
);
