import { loadPack } from '../../engine/model/pack/pack.ts';
import { openPackFolder } from '../../engine/model/pack/pack-folder.ts';
import { predictWindow } from '../../engine/model/predict-window.ts';

/** A handler that a test bundles like the prediction function, to run its asset. */
export async function handler(folder: string, threads: number): Promise<readonly number[]> {
  const pack = await loadPack(openPackFolder(folder));
  const { width, height } = pack.manifest.grid;
  const whole = { col: 0, row: 0, width, height };
  const inside = new Uint8Array(width * height).fill(1);
  const { cells } = await predictWindow(pack, whole, inside, threads);
  return [...cells];
}
