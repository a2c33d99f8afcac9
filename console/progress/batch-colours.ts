import type { Job, Model } from 'soil-batch-client';
import { colourAt, formatHexColour } from '#engine/display/colour-ramp.ts';
import { formatUnit } from '#engine/display/unit-text.ts';
import { fill, h } from '../element.ts';
import { legend } from '../result/legend.ts';
import { TEXTS } from '../texts.ts';

type Range = readonly [low: number, high: number];

/** The colours of a batch's fields by their means, and the legend of them. */
export function batchColours(models: readonly Model[]) {
  const scale = h('div', {});
  const element = h('section', { hidden: true }, h('h2', {}, TEXTS.batch.means), scale);
  let colours: ReadonlyMap<number, string> = new Map();
  return {
    element,
    /** The colour of a job by its index; a field without a mean has none. */
    of: (index: number): string | null => colours.get(index) ?? null,
    show(jobs: readonly Job[]) {
      const model = findMostFrequent(jobs);
      const means = jobs.flatMap(({ job_index: index, model: of, summary }) =>
        summary === null || of !== model ? [] : [{ index, value: summary.mean }],
      );
      const isOne = new Set(means.map(({ value }) => value)).size === 1;
      // One value does not make a scale.
      const range = isOne
        ? findDisplayRange(models, model)
        : computeRange(means.map(({ value }) => value));
      colours =
        range === null
          ? new Map()
          : new Map(means.map(({ index, value }) => [index, chooseColour(value, range)]));
      element.hidden = range === null;
      const unit = jobs.find((job) => job.model === model)?.summary?.unit ?? '';
      if (range !== null)
        fill(scale, legend({ title: TEXTS.batch.means, range }, formatUnit(unit)));
    },
  };
}

function computeRange(values: readonly number[]): Range | null {
  return values.length === 0 ? null : [Math.min(...values), Math.max(...values)];
}

function chooseColour(value: number, [low, high]: Range): string {
  return formatHexColour(colourAt((value - low) / (high - low)));
}

/** The scale on which the page of a result shows the model; null if it is not known. */
function findDisplayRange(models: readonly Model[], ref: string | null): Range | null {
  const bands = models.find(({ model }) => model === ref)?.bands ?? [];
  const [low, high] = bands.find(({ level }) => level === null)?.display_range ?? [];
  return low === undefined || high === undefined ? null : [low, high];
}

/** Values of two models do not compare, so that of most fields has the colours. */
function findMostFrequent(jobs: readonly Job[]): string | null {
  const counts = new Map<string, number>();
  for (const { model, summary } of jobs) {
    if (model !== null && summary !== null) counts.set(model, (counts.get(model) ?? 0) + 1);
  }
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first?.[0] ?? null;
}
