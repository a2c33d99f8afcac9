/** Response headers that pages of any origin may read of a result. */
export const RESULT_EXPOSED_HEADERS = [
  'Content-Range',
  'Accept-Ranges',
  'Content-Length',
  'ETag',
] as const;
