export const HISTORY = {
  title: 'Batches',
  none: 'No batches yet.',
  waiting: 'Reading the batches …',
  more: 'Show more',
  created: 'Created',
} as const;
