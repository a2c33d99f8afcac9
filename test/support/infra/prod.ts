import { readStageConfig } from '../../../lib/config/each-stage.ts';
import { parseConfig } from '../../../lib/config/stage-config.ts';

const prod = readStageConfig('prod');

/** Production after an operator has made the choices without which it cannot be deployed. */
export const PROD = parseConfig({
  ...prod,
  modelPacks: ['meuse-soc'],
  alarms: { ...prod.alarms, email: 'ops@example.com' },
});
