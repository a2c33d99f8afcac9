import type { Model } from 'soil-batch-client';
import { unitText } from '../client/src/drawing/unit-text.ts';
import { TEXTS } from './texts.ts';

/** What a model predicts, in which layer and unit. */
export function propertyText({
  property: { name, depth_cm: depth, unit },
}: Pick<Model, 'property'>): string {
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return TEXTS.result.property(title, depth.join('–'), unit === '1' ? null : unitText(unit));
}
