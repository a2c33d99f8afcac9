import { readFileSync } from 'node:fs';
import { loadPack } from '#engine/model/pack/pack.ts';
import { withRemoteSources } from '#engine/model/pack/pack-files.ts';
import { packFolder } from '#engine/model/pack/pack-folder.ts';
import { predictWindow } from '#engine/model/predict-window.ts';
import { remoteSources } from '../../bin/packs/remote-sources.ts';
import { ownUse } from '../own-use.ts';

// ours.ts PACK WINDOWS: reads the windows of all layers as a prediction does, one field after another

const startedAt = performance.now();
const [folder = '', windows = ''] = process.argv.slice(2);
const pack = await loadPack(withRemoteSources(packFolder(folder), remoteSources()));
let sum = 0;
for (const [col, row, width, height] of JSON.parse(readFileSync(windows, 'utf8'))) {
  const window = { col, row, width, height };
  const { cells } = await predictWindow(pack, window, new Uint8Array(width * height).fill(1));
  for (let i = 0; i < cells.length; i += 1) sum += cells[i] === -9999 ? 0 : (cells[i] ?? 0);
}
console.log(JSON.stringify({ ...ownUse(startedAt), sum: Math.round(sum) }));
