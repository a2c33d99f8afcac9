import type { Model } from 'soil-batch-client';
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

function linesOf({ model, title, property, data_period }: Model): readonly string[] {
  const [from, to] = data_period;
  return [model, `  ${title}`, `  ${property.name} in ${property.unit}, data of ${from}–${to}`];
}
