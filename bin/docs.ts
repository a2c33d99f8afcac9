import { writeFileSync } from 'node:fs';
import { batchFinishedText } from '../lambdas/api/specification/batch-finished-schema.ts';
import { referenceText } from '../lambdas/api/specification/reference/reference-text.ts';
import project from '../package.json' with { type: 'json' };

writeFileSync(new URL('../docs/api.md', import.meta.url), referenceText(project.version));
writeFileSync(new URL('../docs/batch-finished.schema.json', import.meta.url), batchFinishedText());
