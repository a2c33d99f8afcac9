import { planBlocks } from './plan-blocks.ts';
import type { PlanesShape, TilePlanes } from './tile-planes.ts';
import { wasmPlanes } from './wasm-planes.ts';

/** One tile of floats after another, predicted and deflated. */
export interface FloatPlanes extends Pick<TilePlanes, 'row' | 'predict' | 'repeat'> {
  /** A zlib stream: good until the next. */
  compress(): Uint8Array;
}

let last: { readonly shape: PlanesShape; readonly planes: TilePlanes } | undefined;

/** All tiles of a shape share one memory, since each is done with before the next begins. */
export function floatPlanes(shape: PlanesShape): FloatPlanes {
  if (last === undefined || !isSame(last.shape, shape)) {
    last = { shape, planes: wasmPlanes(shape) };
  }
  const { planes } = last;
  return { ...planes, compress: () => deflatePlanes(planes, shape) };
}

export function deflatePlanes(planes: TilePlanes, { rowSamples }: PlanesShape): Uint8Array {
  return planes.write(planBlocks(planes.tally(), rowSamples));
}

function isSame(a: PlanesShape, b: PlanesShape): boolean {
  return a.rows === b.rows && a.rowSamples === b.rowSamples && a.bands === b.bands;
}
