import { cellSizeText, type Model, periodText } from 'soil-batch-client';
import { EXIT } from '../exit-code.ts';
import type { CommandSpec } from './command-spec.ts';

export const MODELS: CommandSpec = {
  usage: 'models',
  summary: 'list the models of the service',
  parameters: {},
  example: 'models --json',
  options: [],
  async action({ connect, terminal, signal }) {
    const { client } = await connect();
    const { models } = await client.models({ signal });
    for (const model of models) terminal.report({ ...model, event: 'model' }, linesOf(model));
    return EXIT.complete;
  },
};

function linesOf(model: Model): readonly string[] {
  const { title, property, periods, grid, coverage } = model;
  const [west, south, east, north] = boxOf(coverage);
  return [
    model.model,
    `  ${title}`,
    `  ${property.name} in ${property.unit}, ${property.depth_cm.join('–')} cm, cells of ${cellSizeText(grid)} (${grid.crs_name})`,
    ...periods.map((period, i) => `  ${(i === 0 ? 'Years' : '').padEnd(8)}  ${periodText(period)}`),
    `  Coverage  longitude ${west} to ${east}, latitude ${south} to ${north}`,
  ];
}

/** West, south, east and north in degrees, to about 100 m. */
function boxOf({ coordinates }: Model['coverage']): readonly string[] {
  const positions = coordinates.flat(3);
  const longitudes = positions.filter((_, index) => index % 2 === 0);
  const latitudes = positions.filter((_, index) => index % 2 === 1);
  const box = [
    Math.min(...longitudes),
    Math.min(...latitudes),
    Math.max(...longitudes),
    Math.max(...latitudes),
  ];
  return box.map((degrees) => degrees.toFixed(3));
}
