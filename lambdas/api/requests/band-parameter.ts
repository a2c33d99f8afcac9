import { shownBand } from '#engine/model/display-range.ts';
import type { Band, Manifest } from '#engine/model/pack/manifest.ts';
import { violationsProblem } from '../problems/problem.ts';
import { violation } from './query.ts';

/** @throws Problem 400 if the model has no band of that name */
export function readBand(manifest: Manifest, name: string | undefined): Band {
  const band = shownBand(manifest, name);
  if (band !== undefined) return band;
  const names = manifest.bands.map((known) => known.name).join(', ');
  const rule = `must be a band of ${manifest.id}: ${names}`;
  throw violationsProblem('parameter-invalid', [violation('band', rule, name ?? '')]);
}
