import { writeFileSync } from 'node:fs';
import { clientTypes } from './generated/client-types.ts';

writeFileSync(new URL('../client/src/openapi.ts', import.meta.url), await clientTypes());
