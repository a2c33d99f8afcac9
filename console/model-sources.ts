import type { Model } from 'soil-batch-client';
import { h } from './element.ts';
import { TEXTS } from './texts.ts';

export function modelSources({ licenses }: Pick<Model, 'licenses'>): HTMLElement {
  const sources = licenses.map(({ part, license, citation }) =>
    h('li', {}, TEXTS.result.source(part, citation, license)),
  );
  return h('details', {}, h('summary', {}, TEXTS.result.sources), h('ul', {}, ...sources));
}
