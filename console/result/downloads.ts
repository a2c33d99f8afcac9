import type { JobDetail } from 'soil-batch-client';
import { copyButton } from '../copy-button.ts';
import { h } from '../element.ts';
import { formatFileSize } from '../numbers.ts';
import type { Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import type { QgisStyle } from './qgis-style.ts';

export function downloads(
  { baseUrl }: Session,
  job: JobDetail,
  url: string,
  style: QgisStyle | null,
): HTMLElement {
  const size = job.result === null ? '' : ` (${formatFileSize(job.result.bytes)})`;
  // Open another tab: a storage error, such as for an expired link, must not replace this page, which holds the key
  // and the fields.
  const apart = { target: '_blank', rel: 'noopener' };
  const attributes = { href: url, class: 'button', download: '', ...apart };
  return h(
    'section',
    {},
    h(
      'div',
      { class: 'row' },
      h('a', attributes, `${TEXTS.result.download}${size}`),
      style?.button ?? null,
    ),
    style?.messages ?? null,
    command(formatCurl(baseUrl, job.batch_id, job.job_id)),
  );
}

function command(text: string): HTMLElement {
  const code = h('code', {}, text);
  return h(
    'details',
    {},
    h('summary', {}, TEXTS.result.command),
    h('p', { class: 'muted' }, TEXTS.result.commandKey),
    h('pre', { class: 'command', tabindex: 0 }, code),
    h('p', { class: 'row' }, ...copyButton(code)),
  );
}

/**
 * Writes a command that downloads a result under its own file name, with the key from the environment. Its URL
 * works as long as the result exists, and redirects to a signed URL.
 */
function formatCurl(baseUrl: string, batchId: string, jobId: string): string {
  const url = `${baseUrl.replace(/\/$/, '')}/v1/batch/${batchId}/jobs/${jobId}/result`;
  return `curl --fail --location --remote-name --remote-header-name --header "Authorization: Bearer $API_KEY" ${quoteForShell(url)}`;
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
