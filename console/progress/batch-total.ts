import {
  type Batch,
  type BatchStatus,
  type BatchTotal,
  isFinal,
  type Model,
} from 'soil-batch-client';
import { fill, h } from '../element.ts';
import { factList } from '../facts.ts';
import { accuracyText, notForText, rangeText } from '../model-text.ts';
import { formatCount, formatHectares, formatRounded } from '../numbers.ts';
import { explainError } from '../state/messages.ts';
import { TEXTS } from '../texts.ts';
import { valueFacts } from './value-facts.ts';

export function batchTotal(batch: Batch, models: readonly Model[], signal: AbortSignal) {
  const body = h('div', {});
  const element = h('section', { hidden: true }, h('h2', {}, TEXTS.batch.total), body);
  let isRead = false;
  return {
    element,
    async show(now: BatchStatus) {
      if (!isFinal(now) || now.completed_jobs === 0 || isRead) return;
      isRead = true;
      try {
        const { totals, left_out } = await batch.total({ signal });
        element.hidden = totals.length === 0;
        fill(body, ...totals.map((total) => buildTotal(total, models)), buildLeftOut(left_out));
      } catch (reason) {
        if (signal.aborted) return;
        isRead = false;
        element.hidden = false;
        fill(body, h('p', { class: 'error' }, explainError(reason)));
      }
    },
  };
}

type Total = BatchTotal['totals'][number];

function buildTotal(total: Total, models: readonly Model[]): HTMLElement {
  const { area_ha, predicted_area_ha, unpredicted_area_ha, jobs } = total;
  const valued = unpredicted_area_ha === 0 ? null : formatHectares(predicted_area_ha);
  const model = models.find((known) => known.model === total.model);
  return h(
    'div',
    { class: 'total' },
    factList([
      ...valueFacts(total),
      [
        TEXTS.fields.area,
        TEXTS.batch.totalArea(formatHectares(area_ha), formatCount(jobs, 'field'), valued),
      ],
      [TEXTS.job.model, formatModel(total)],
      [TEXTS.result.accuracy, model === undefined ? null : accuracyText(model)],
      [TEXTS.job.outside, formatOutside(total)],
      [TEXTS.result.notFor, model === undefined ? null : notForText(model)],
    ]),
    total.interval_missing === null
      ? null
      : h('p', { class: 'muted' }, total.interval_missing.message),
    ...total.warnings.map(({ message }) => h('p', { class: 'muted' }, message)),
  );
}

function formatOutside({ job_warnings, area_ha: area }: Total): string | null {
  const outside = job_warnings.find(({ code }) => code === 'outside_training');
  if (outside === undefined) return null;
  const share = formatRounded((100 * outside.area_ha) / area);
  return TEXTS.batch.outside(formatCount(outside.jobs, 'field'), share);
}

function formatModel({ model, data_period, property, depth_cm, years }: Total): string {
  const layer = depth_cm === null ? '' : `, ${depth_cm.join('–')} cm`;
  const what = property === null ? '' : `${property}${layer}, `;
  return `${what}${years.join(', ')}, ${model}, ${TEXTS.result.data(rangeText(data_period))}`;
}

function buildLeftOut(groups: BatchTotal['left_out']): HTMLElement | null {
  const jobs = groups.reduce((sum, group) => sum + group.jobs, 0);
  if (jobs === 0) return null;
  const area = groups.reduce((sum, group) => sum + (group.area_ha ?? 0), 0);
  const text = TEXTS.batch.leftOut(
    formatCount(jobs, 'job'),
    area === 0 ? null : formatHectares(area),
  );
  return h('p', { class: 'muted' }, text);
}
