import { App } from 'aws-cdk-lib';
import { computeServiceVersion } from '../../../lib/build/service-version.ts';
import { buildService } from '../../../lib/service.ts';
import { PROD } from './prod.ts';

// This is `bin/app.ts` after an operator has chosen what production needs.
buildService(new App(), PROD, computeServiceVersion());
