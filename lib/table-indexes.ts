/**
 * Sparse indexes that contain only the keys of items. They are eventually consistent, so code reads an item again
 * before it decides.
 */
export const INDEXES = {
  by_tenant: { partition: 'tenant', sort: 'created_at' },
  unfinished: { partition: 'unfinished_shard', sort: 'created_at' },
  undelivered: { partition: 'undelivered_shard', sort: 'next_attempt_at' },
} as const;
export type IndexName = keyof typeof INDEXES;
