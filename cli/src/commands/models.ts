import { cellSizeText, type Model, periodText, unitText } from 'soil-batch-client';
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
    if (models.length > 1) {
      terminal.note(
        'A field is predicted by the first of these that covers it, unless --model names one.',
      );
    }
    for (const model of models) terminal.report({ ...model, event: 'model' }, linesOf(model));
    return EXIT.complete;
  },
};

/** What it predicts first; the id is for `--model`. */
function linesOf(model: Model): readonly string[] {
  const { title, property, periods, grid, coverage, accuracy } = model;
  const [west, south, east, north] = boxOf(coverage);
  const unit = property.unit === '1' ? '' : ` in ${unitText(property.unit)}`;
  // A pack names the most important first; the API has all.
  const figures = accuracy.slice(0, 2).map(({ metric, value }) => `${unitText(metric)} ${value}`);
  const facts = [
    ['Predicts', `${capitalized(property.name)}${unit}, ${property.depth_cm.join('–')} cm`],
    ['Cells', `${cellSizeText(grid)} (${grid.crs_name})`],
    ...periods.map((period, i) => [i === 0 ? 'Years' : '', capitalized(periodText(period))]),
    ['Coverage', `Longitude ${west} to ${east}, latitude ${south} to ${north}`],
    ['Accuracy', figures.join(', ')],
    ['--model', model.model],
  ];
  return [
    title,
    ...facts.flatMap(([name = '', text = '']) =>
      text === '' ? [] : [`  ${name.padEnd(8)}  ${text}`],
    ),
  ];
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
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
