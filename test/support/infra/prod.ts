import { readStageConfig } from '../../../lib/config/each-stage.ts';
import { parseConfig } from '../../../lib/config/stage-config.ts';

const prod = readStageConfig('prod');

/** Production once an operator has chosen what it cannot be deployed without. */
export const PROD = parseConfig({
  ...prod,
  modelPacks: ['meuse-soc'],
  alarms: { ...prod.alarms, email: 'ops@example.com' },
});
