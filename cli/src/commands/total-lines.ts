import { type BatchTotal, unitText } from 'soil-batch-client';
import { amount, count } from './numbers.ts';

type Total = BatchTotal['totals'][number];

/** A total in one line, and in others what the reader must know. */
export function totalLines(total: Total): readonly string[] {
  const { jobs, area_ha, unpredicted_area_ha, stock, level, interval_missing, warnings } = total;
  const interval = level === null ? '' : `; ${Math.round(100 * level)} % interval`;
  const none = unpredicted_area_ha === 0;
  return [
    `Total of ${count(jobs, 'field')}${yearsText(total)}, ${amount(area_ha)} ha: ${meanText(total)}${stock === null ? '' : stockText(total, stock)}${interval}`,
    ...(none
      ? []
      : [
          `  Of ${amount(total.predicted_area_ha)} ha; the model has no value for ${amount(unpredicted_area_ha)} ha.`,
        ]),
    ...warnedLines(total),
    ...(interval_missing === null ? [] : [`  No interval: ${interval_missing.message}`]),
    ...warnings.map(({ message }) => `  ${message}`),
  ];
}

/** With years, totals of one model can be told apart. */
function yearsText({ years }: Total): string {
  return years.length === 1 ? ` for ${years[0]}` : '';
}

function meanText({ property, depth_cm, mean, unit, lower, upper }: Total): string {
  const layer = depth_cm === null ? '' : `, ${depth_cm.join('–')} cm,`;
  const what = property === null ? '' : `${property}${layer} `;
  return `${what}${amount(mean)} ${unitText(unit)}${bounds(lower, upper)}`;
}

function stockText(
  { stock_standard_error: error }: Total,
  stock: NonNullable<Total['stock']>,
): string {
  const of = stock.substance === null ? '' : ` of ${stock.substance}`;
  const sure = error === null ? '' : `, standard error ${amount(error)} t`;
  return `, ${amount(stock.value)} t${of}${bounds(stock.lower, stock.upper)}${sure}`;
}

function bounds(lower: number | null, upper: number | null): string {
  return lower === null || upper === null ? '' : ` (${amount(lower)} to ${amount(upper)})`;
}

/** `static_model` says nothing of one field. */
function warnedLines({ job_warnings, area_ha }: Total): readonly string[] {
  return job_warnings
    .filter(({ code }) => code !== 'static_model')
    .map(
      ({ code, jobs, area_ha: area }) =>
        `  ${code.replaceAll('_', ' ')}: ${count(jobs, 'field')}, ${amount((100 * area) / area_ha)} % of the area`,
    );
}

/** Jobs in no total, by why: a field has one for each year. */
export function leftOutLine(groups: BatchTotal['left_out']): string {
  const texts = groups.map(({ reason, error_code, jobs, area_ha }) => {
    const area = area_ha === null ? '' : ` of ${amount(area_ha)} ha`;
    return `${count(jobs, 'job')}${area}, ${(error_code ?? reason).replaceAll('_', ' ')}`;
  });
  return `  Left out: ${texts.join('; ')}`;
}
