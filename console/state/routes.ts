/** A page and the batch or job it shows. Its address is the URL fragment, which never leaves the browser. */
export type Route =
  | { readonly page: 'fields' }
  | { readonly page: 'estimate' }
  | { readonly page: 'history' }
  | { readonly page: 'batch'; readonly batchId: string }
  | { readonly page: 'result'; readonly batchId: string; readonly jobId: string };

export const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const BATCH = new RegExp(`^#/batch/(${UUID})$`);
const RESULT = new RegExp(`^#/batch/(${UUID})/(${UUID})$`);

/** An unknown address leads to the fields page. */
export function parseRoute(fragment: string): Route {
  if (fragment === '#/estimate') return { page: 'estimate' };
  if (fragment === '#/history') return { page: 'history' };
  const [, batchId] = BATCH.exec(fragment) ?? [];
  if (batchId !== undefined) return { page: 'batch', batchId };
  const [, ofBatch, jobId] = RESULT.exec(fragment) ?? [];
  if (ofBatch !== undefined && jobId !== undefined) {
    return { page: 'result', batchId: ofBatch, jobId };
  }
  return { page: 'fields' };
}

export function formatAddress(route: Route): string {
  switch (route.page) {
    case 'batch':
      return `#/batch/${route.batchId}`;
    case 'result':
      return `#/batch/${route.batchId}/${route.jobId}`;
    default:
      return `#/${route.page}`;
  }
}
