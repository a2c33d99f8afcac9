import { environment } from '../adapters/environment.ts';
import { readQuery } from './contract/query.ts';
import { handle, type Operation } from './http/handle.ts';
import { htmlPage } from './http/page.ts';
import { asHtml } from './specification/as-html.ts';
import { openApiDocument } from './specification/document.ts';
import { editionFor } from './specification/edition.ts';
import { referenceOf } from './specification/reference.ts';

export function docsOperation(version: string): Operation {
  return async (request) => {
    readQuery(request, []);
    const document = openApiDocument(editionFor(request, version));
    return htmlPage(request, document.info.title, asHtml(referenceOf(document)));
  };
}

export const handler = handle('docs', () =>
  docsOperation(environment('SERVICE_VERSION').SERVICE_VERSION),
);
