import { openApiDocument } from './document.ts';
import { writeReference } from './reference/reference.ts';
import { referencePage } from './reference/reference-page.ts';
import { PLACEHOLDERS, type TemplateName } from './templates.ts';

export function buildTemplates(): Readonly<Record<TemplateName, string>> {
  const v1 = openApiDocument({ deployment: 'v1', ...PLACEHOLDERS });
  const v2 = openApiDocument({ deployment: 'v2', ...PLACEHOLDERS });
  return {
    'openapi-v1.json': JSON.stringify(v1),
    'openapi-v2.json': JSON.stringify(v2),
    'reference-v1.html': referencePage(writeReference(v1)),
    'reference-v2.html': referencePage(writeReference(v2)),
  };
}
