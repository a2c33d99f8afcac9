import { fill, h, listen } from '../element.ts';
import { TEXTS } from '../texts.ts';

export type Range = readonly [low: number, high: number];

/** Whose values the colours span. */
export type ScaleOf = 'batch' | 'model' | 'field';

export interface ColourScale {
  readonly of: ScaleOf;
  /** The values of the lowest and the highest colour. */
  readonly range: Range;
}

/** The ranges that there are to choose from. */
export type Ranges = Readonly<Record<ScaleOf, Range | null>>;

/** Chooses whose values the colours span: by default those of the batch, so that its fields compare. */
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
    /** The scale that the user wants, or the first that there is. */
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
