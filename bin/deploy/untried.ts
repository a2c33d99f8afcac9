import { readFileSync } from 'node:fs';
import type { StageName } from '../../lib/stages.ts';

export interface Untried {
  readonly what: string;
  /** If this part fails, CloudFormation's error contains one of these texts. */
  readonly errors: readonly string[];
  /** What to do before the next deployment, in Markdown. */
  readonly remedy: string;
}

const PAGE = new URL('../../docs/tests.md', import.meta.url);

/** The parts are in the order of the table under "In a deployment" in `docs/tests.md`. */
export function readUntried(page = readFileSync(PAGE, 'utf8')): readonly Untried[] {
  const [, section = ''] = page.split('\n### In a deployment\n');
  const [table = ''] = /^\|(?:.*\n\|)*.*/m.exec(section) ?? [];
  const rows = table.split('\n').slice(2);
  return rows.map((row) => {
    const [, what = '', errors = '', remedy = ''] = row.split('|').map((cell) => cell.trim());
    return {
      what,
      errors: [...errors.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
      remedy,
    };
  });
}

export function describeUntried(list: readonly Untried[]): string {
  const lines = list.map(({ what }) => `  - ${what}`);
  return ['Never tried in an AWS account, riskiest first (docs/tests.md):', ...lines].join('\n');
}

export function explainFailure(
  reasons: readonly string[],
  list: readonly Untried[],
  stage: StageName,
): string {
  const shown = reasons.map((reason) => `\n  ${reason}`).join('');
  const [first = ''] = reasons;
  const isIn = (text: string) => first.toLowerCase().includes(text.toLowerCase());
  const found = list.find(({ errors }) => errors.some(isIn));
  if (found === undefined) {
    return `the deployment failed:${shown}\nNo part that is listed as never tried matches this error. See docs/aws.md#when-a-deployment-fails`;
  }
  return `the deployment failed:${shown}\nNever tried before: ${found.what}.\nTo continue: ${formatRemedy(found)}. Then run: npm run deploy -- --stage ${stage}`;
}

/** Formats a remedy for a terminal: without backticks, and with the targets of links in brackets. */
export function formatRemedy({ remedy }: Pick<Untried, 'remedy'>): string {
  return remedy.replaceAll('`', '').replace(/\[([^\]]*)\]\(([^)]*)\)/g, '$1 (docs/$2)');
}
