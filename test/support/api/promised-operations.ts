/**
 * Every operation that clients may use. Written by hand, so that a change of the operation table cannot
 * remove or add one unnoticed.
 */
export const PROMISED: readonly string[] = [
  'GET /',
  'GET /console (V2)',
  'GET /console/{asset} (V2)',
  'GET /docs',
  'GET /docs/problems/{slug}',
  'GET /health',
  'GET /openapi.json',
  'GET /v1/batch',
  'GET /v1/batch/{batch_id}/deliveries',
  'GET /v1/batch/{batch_id}/jobs/{job_id}/patches/{patch_batch_idx}/status (V2)',
  'GET /v1/batch/{batch_id}/jobs/{job_id}/item',
  'GET /v1/batch/{batch_id}/jobs/{job_id}/preview',
  'GET /v1/batch/{batch_id}/jobs/{job_id}/result',
  'GET /v1/batch/{batch_id}/jobs/{job_id}/status (V2)',
  'GET /v1/batch/{batch_id}/results',
  'GET /v1/batch/{batch_id}/status',
  'GET /v1/limits',
  'GET /v1/models',
  'GET /v1/models/{model}/style.qml',
  'GET /v1/usage',
  'POST /v1/batch',
  'POST /v1/batch/estimate',
  'POST /v1/batch/{batch_id}/cancel',
  'POST /v1/batch/{batch_id}/deliveries',
  'POST /v1/batch/{batch_id}/retry',
  'POST /v1/webhooks/test',
];
