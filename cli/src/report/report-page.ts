import { type Html, html } from 'soil-batch-client';
import type { ResultJob } from '../results/result-columns.ts';
import type { StoredFacts } from '../results/run-facts.ts';
import type { CheckedFile } from '../run/digests.ts';
import { areaSection } from './area-section.ts';
import { digestsSection, filesNotice } from './files-section.ts';
import { mapSections } from './map-sections.ts';
import { methodSection } from './method-section.ts';
import { modelSections } from './model-sections.ts';
import { STYLE } from './style.ts';
import { totalsSection } from './totals-section.ts';

/** What a report is made of: only what the folder of a run holds. */
export interface ReportSources {
  readonly title: string;
  /** Of the service. */
  readonly baseUrl: string;
  readonly createdAt: string;
  readonly writtenAt: string;
  readonly batchIds: readonly string[];
  readonly input: ReportInput;
  readonly jobs: readonly ResultJob[];
  readonly files: readonly CheckedFile[];
  readonly facts: StoredFacts;
  /** Of the program. */
  readonly version: string;
}

/** The client's file of fields. */
export interface ReportInput {
  readonly name: string;
  readonly layer: string | null;
  readonly sha256: string;
  readonly crs: string;
  /** The fields as read from it. */
  readonly storedFile: string;
  readonly storedSha256: string;
}

/** One page without anything from outside it: it can be sent, archived and printed. */
export function reportPage(sources: ReportSources): string {
  const { title, jobs, files, facts, version } = sources;
  const { html: page } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}: soil report</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<header>
<h1>${title}</h1>
${runFacts(sources)}
</header>
${filesNotice(files)}
<h2>Totals</h2>
${totalsSection(facts)}
${areaSection(jobs)}
${mapSections(jobs, facts.models)}
${modelSections(facts.models)}
${methodSection(facts)}
${digestsSection(sources)}
<footer>Written by soil-batch ${version} from the files of one run.</footer>
</body>
</html>
`;
  return page;
}

function runFacts(sources: ReportSources): Html {
  const { jobs, input, createdAt, writtenAt, baseUrl, batchIds } = sources;
  const completed = jobs.flatMap(({ job }) => (job?.status === 'completed' ? [job] : []));
  const last = completed
    .map(({ completed_at }) => completed_at ?? '')
    .reduce((a, b) => (a > b ? a : b), '');
  const facts: readonly (readonly [string, string])[] = [
    ['Maps', `${completed.length} of ${jobs.length} completed`],
    [
      'Fields',
      [input.name, ...(input.layer === null ? [] : [`layer ${input.layer}`]), input.crs].join(', '),
    ],
    ['Started', timeText(createdAt)],
    ...(last === '' ? [] : [['Last map', timeText(last)] as const]),
    ['Report', timeText(writtenAt)],
    ['Service', baseUrl],
    ['Batches', batchIds.join(', ')],
  ];
  return html`<dl>${facts.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>`;
}

/** `2026-11-22 09:44 UTC` of an ISO time. */
function timeText(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
