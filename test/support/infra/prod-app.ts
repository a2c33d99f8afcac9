import { App } from 'aws-cdk-lib';
import { stageConfig } from '../../../lib/config/each-stage.ts';
import { buildService } from '../../../lib/service.ts';

// `bin/app.ts` after an operator has set who is notified of alarms, which production needs.
const prod = stageConfig('prod');
buildService(new App(), { ...prod, alarms: { ...prod.alarms, email: 'ops@example.com' } });
