import type { Route } from '../state/routes.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** The page of what a user pastes: an id, or an address of the API or of this page. Null without an id. */
export function routeOfPasted(text: string): Route | null {
  const [batchId, jobId] = (text.match(UUID) ?? []).map((id) => id.toLowerCase());
  if (batchId === undefined) return null;
  return jobId === undefined ? { page: 'batch', batchId } : { page: 'result', batchId, jobId };
}
