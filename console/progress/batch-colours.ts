import type { Job, Model } from 'soil-batch-client';
import { colourAt, formatHexColour } from '#engine/display/colour-ramp.ts';
import { formatUnit } from '#engine/display/unit-text.ts';
import { fill, h } from '../element.ts';
import { type ColourScale, type Range, scaleChooser } from '../result/colour-scale.ts';
import { legend } from '../result/legend.ts';
import { findExpected } from '../result/views.ts';
import { findDisplayRange } from '../state/display-ranges.ts';
import type { DisplayRanges } from '../state/session.ts';
import { TEXTS } from '../texts.ts';

export interface ColouredModel {
  readonly model: Model;
  readonly scale: ColourScale;
}

/** @param changed is called when another scale is chosen */
export function batchColours(models: readonly Model[], changed: () => void) {
  const scales = scaleChooser(changed);
  const body = h('div', {});
  const title = h('h2', {}, TEXTS.batch.values);
  const element = h('section', { hidden: true }, title, scales.element, body);
  let colours: ReadonlyMap<number, string> = new Map();
  return {
    element,
    of: (index: number): string | null => colours.get(index) ?? null,
    /** @returns null if no field has a value, or if the model of the most fields is unknown or has no range */
    show(jobs: readonly Job[], ranges: DisplayRanges): ColouredModel | null {
      const ref = findMostFrequent(jobs);
      const model = models.find((known) => known.model === ref);
      const means = jobs.flatMap(({ job_index: index, model: of, summary }) =>
        summary === null || of !== ref ? [] : [{ index, value: summary.mean }],
      );
      const scale = scales.choose({
        batch: findDisplayRange(ranges, ref),
        model: findModelRange(model),
        field: null,
      });
      colours =
        scale === null
          ? new Map()
          : new Map(means.map(({ index, value }) => [index, chooseColour(value, scale.range)]));
      element.hidden = scale === null || means.length === 0;
      const unit = jobs.find((job) => job.model === ref)?.summary?.unit ?? '';
      if (scale !== null) fill(body, legend(TEXTS.batch.values, scale, formatUnit(unit)));
      return model === undefined || scale === null ? null : { model, scale };
    },
  };
}

function chooseColour(value: number, [low, high]: Range): string {
  return formatHexColour(colourAt((value - low) / (high - low)));
}

function findModelRange(model: Model | undefined): Range | null {
  const band = model?.bands[findExpected(model)];
  const [low, high] = band?.display_range ?? [];
  return low === undefined || high === undefined ? null : [low, high];
}

/** Values of two models cannot be compared, so the colours show the model with the most fields. */
function findMostFrequent(jobs: readonly Job[]): string | null {
  const counts = new Map<string, number>();
  for (const { model, summary } of jobs) {
    if (model !== null && summary !== null) counts.set(model, (counts.get(model) ?? 0) + 1);
  }
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first?.[0] ?? null;
}
