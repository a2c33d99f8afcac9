import { fill, h, listen } from '../element.ts';
import { TEXTS } from '../texts.ts';

export type Range = readonly [low: number, high: number];

/** The source of the range that the colours span. */
export type ScaleOf = 'batch' | 'model' | 'field';

export interface ColourScale {
  readonly of: ScaleOf;
  readonly range: Range;
}

export type Ranges = Readonly<Record<ScaleOf, Range | null>>;

/** The batch's range is the default, so that fields can be compared. */
export function scaleChooser(changed: () => void) {
  const select = h('select', { id: 'scale' });
  const element = h('p', {}, h('label', { for: 'scale' }, TEXTS.result.scale, select));
  let chosen: ScaleOf = 'batch';
  let offered = '';
  listen(select, {
    change: () => {
      chosen = SCALES.find((scale) => scale === select.value) ?? 'batch';
      changed();
    },
  });
  return {
    element,
    choose(ranges: Ranges): ColourScale | null {
      const known = SCALES.flatMap((of) => {
        const range = ranges[of];
        return range === null ? [] : [{ of, range }];
      });
      const scale = known.find(({ of }) => of === chosen) ?? known[0] ?? null;
      element.hidden = known.length < 2;
      const names = known.map(({ of }) => of);
      if (offered !== names.join()) {
        offered = names.join();
        fill(select, ...names.map((of) => h('option', { value: of }, TEXTS.result.scales[of])));
      }
      select.value = scale?.of ?? '';
      return scale;
    },
  };
}

const SCALES: readonly ScaleOf[] = ['batch', 'model', 'field'];
