import { type Route, UUID } from '../state/routes.ts';

const UUIDS = new RegExp(UUID, 'gi');

/** The page of what a user pastes: an id, or an address of the API or of this page. Null without an id. */
export function routeOfPasted(text: string): Route | null {
  const [batchId, jobId] = (text.match(UUIDS) ?? []).map((id) => id.toLowerCase());
  if (batchId === undefined) return null;
  return jobId === undefined ? { page: 'batch', batchId } : { page: 'result', batchId, jobId };
}
