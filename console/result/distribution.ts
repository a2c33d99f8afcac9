import type { Model } from 'soil-batch-client';
import { unitText } from '#engine/model/display/unit-text.ts';
import { fill, h } from '../element.ts';
import type { Overview } from '../map/overview.ts';
import { whole } from '../numbers.ts';
import { TEXTS } from '../texts.ts';
import { histogram, spreadOf } from './histogram.ts';
import { type RasterView, valueOfView } from './views.ts';

/** The distribution of the values that the map shows. */
export function distribution({ property, grid }: Model) {
  const element = h('figure', { class: 'distribution' });
  const unit = unitText(property.unit);
  let overview: Overview | null = null;
  let view: RasterView | null = null;
  const draw = () => {
    if (overview === null || view === null) return;
    const values = valuesOf(overview, view);
    const cells = values.filter((value) => !Number.isNaN(value)).length;
    const { reduction } = overview;
    const size = `${whole(grid.cell_size * reduction)} m`;
    fill(
      element,
      histogram(values, view, unit),
      h(
        'figcaption',
        { class: 'muted' },
        `${spreadOf(values, unit)} `,
        reduction === 1 ? TEXTS.result.ofCells(cells) : TEXTS.result.ofOverview(cells, size),
      ),
    );
  };
  return {
    element,
    read(now: Overview) {
      overview = now;
      draw();
    },
    show(now: RasterView) {
      view = now;
      draw();
    },
  };
}

function valuesOf({ bands }: Overview, view: RasterView): Float64Array {
  const length = bands[view.band]?.length ?? 0;
  return Float64Array.from({ length }, (_, cell) =>
    valueOfView(view, (band) => bands[band]?.[cell] ?? Number.NaN),
  );
}
