import { writeFileSync } from 'node:fs';
import { referenceText } from '../lambdas/api/specification/reference-text.ts';
import project from '../package.json' with { type: 'json' };

writeFileSync(new URL('../docs/api.md', import.meta.url), referenceText(project.version));
