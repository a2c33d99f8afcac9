import { readFileSync, writeFileSync } from 'node:fs';
import { courseChart } from './charts.ts';
import { type Run, tablesOf } from './report.ts';
import { NEWCOMERS, PLOTTED, SCENARIOS, type Scenario } from './scenarios.ts';
import { simulate } from './simulate.ts';

// npm run scale   simulates every scenario, and writes the tables and charts of docs/scale-and-cost.md

const PAGE = 'docs/scale-and-cost.md';

function run(scenario: Scenario): Run {
  const outcome = simulate(scenario.demand, scenario.setting);
  console.log(`${scenario.name}: ${outcome.failedJobs} of ${outcome.jobs} jobs failed`);
  return { scenario, outcome };
}

const runs = SCENARIOS.map(run);
const newcomers = NEWCOMERS.map(run);

let page = readFileSync(PAGE, 'utf8');
for (const [name, table] of Object.entries(tablesOf(runs, newcomers))) {
  const place = new RegExp(`(<!-- ${name}: [^>]*-->\n\n).*?(\n\n<!-- end -->)`, 's');
  page = page.replace(place, (_, before: string, after: string) => `${before}${table}${after}`);
}
writeFileSync(PAGE, page);
writeFileSync(
  'docs/images/scale-courses.svg',
  courseChart(runs.filter(({ scenario }) => PLOTTED.includes(scenario))),
);
