import { OPERATION_ENTRIES, type OperationName } from '../operations/table.ts';

/** Methods of the path, or null when no operation has it. A trailing slash is ignored. */
export function methodsOf(path: string): readonly string[] | null {
  const segments = segmentsOf(path);
  const methods = OPERATION_ENTRIES.filter(([, entry]) => fits(segmentsOf(entry.path), segments))
    .flatMap(([, { method }]) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .sort();
  return methods.length === 0 ? null : methods;
}

/** The operation at a resource of the gateway (`/v1/batch/{batch_id}/status`), or null. */
export function operationAt(resource: string, method: string): OperationName | null {
  const tableMethod = method === 'HEAD' ? 'GET' : method;
  const found = OPERATION_ENTRIES.find(
    ([, entry]) => entry.path === resource && entry.method === tableMethod,
  );
  return found?.[0] ?? null;
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/^\/|\/$/g, '').split('/');
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) =>
      part.startsWith('{') ? segments[index] !== '' : part === segments[index],
    )
  );
}

/** Paths that responses name, relative to the base URL. */
export const paths = {
  batchStatus: (batchId: string) => `/v1/batch/${batchId}/status`,
  batchResults: (batchId: string) => `/v1/batch/${batchId}/results`,
  ofResult: (batchId: string, jobId: string, what: 'result' | 'preview' | 'item') =>
    `/v1/batch/${batchId}/jobs/${jobId}/${what}`,
  modelStyle: (model: string) => `/v1/models/${model}/style.qml`,
  models: '/v1/models',
} as const;
