// Usage: node .ci/check-maps.mjs <folder> <number of maps>. Fails unless the folder has exactly this many rasters, each
// with values.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fromFile } from 'geotiff';

const [folder = '.', expected] = process.argv.slice(2);
const maps = readdirSync(folder).filter((name) => name.endsWith('.tif'));
for (const name of maps) {
  const image = await (await fromFile(join(folder, name))).getImage();
  const nodata = image.getGDALNoData();
  const [mean = []] = await image.readRasters({ samples: [0] });
  const values = [...mean].filter((value) => Number.isFinite(value) && value !== nodata);
  if (values.length === 0) throw new Error(`${name} has no cell with a value`);
  console.log(
    `${name}: ${image.getWidth()} × ${image.getHeight()} cells, ${values.length} with values`,
  );
}
if (maps.length !== Number(expected))
  throw new Error(`${folder} has ${maps.length} maps instead of ${expected}`);
