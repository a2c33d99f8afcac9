/** Every address of the API: the gateway can't tell an unknown path from an unknown method. */
export const ROUTES = [
  { path: '/health', methods: ['GET', 'HEAD'] },
  { path: '/openapi.json', methods: ['GET', 'HEAD'] },
  { path: '/docs', methods: ['GET', 'HEAD'] },
  { path: '/v1/usage', methods: ['GET', 'HEAD'] },
  { path: '/v1/limits', methods: ['GET', 'HEAD'] },
  { path: '/v1/models', methods: ['GET', 'HEAD'] },
  { path: '/v1/batch', methods: ['GET', 'HEAD', 'POST'] },
  { path: '/v1/batch/estimate', methods: ['POST'] },
  { path: '/v1/batch/{batch_id}/cancel', methods: ['POST'] },
  { path: '/v1/batch/{batch_id}/retry', methods: ['POST'] },
  { path: '/v1/batch/{batch_id}/status', methods: ['GET', 'HEAD'] },
  { path: '/v1/batch/{batch_id}/deliveries', methods: ['GET', 'HEAD', 'POST'] },
  { path: '/v1/webhooks/test', methods: ['POST'] },
  { path: '/v1/batch/{batch_id}/jobs/{job_id}/status', methods: ['GET', 'HEAD'] },
  {
    path: '/v1/batch/{batch_id}/jobs/{job_id}/patches/{patch_batch_idx}/status',
    methods: ['GET', 'HEAD'],
  },
  { path: '/docs/problems/{slug}', methods: ['GET', 'HEAD'] },
] as const;

/** Methods of the path, or null when no operation has it. A slash at the end changes nothing. */
export function methodsOf(path: string): readonly string[] | null {
  const segments = segmentsOf(path);
  const route = ROUTES.find((candidate) => fits(segmentsOf(candidate.path), segments));
  return route?.methods ?? null;
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

/** Addresses as the operations and `Location` spell them, behind the base address. */
export const paths = {
  batchStatus: (batchId: string) => `/v1/batch/${batchId}/status`,
} as const;
