import { loadPack } from '../../lambdas/model/pack/pack.ts';
import { packFolder } from '../../lambdas/model/pack/pack-folder.ts';
import { predictWindow } from '../../lambdas/model/predict-window.ts';

/** What a test bundles as the predicting function is, to see its asset predict. */
export async function handler(folder: string): Promise<readonly number[]> {
  const pack = await loadPack(packFolder(folder));
  const cell = { col: 0, row: 0, width: 1, height: 1 };
  const { cells } = await predictWindow(pack, cell, Uint8Array.of(1));
  return [...cells];
}
