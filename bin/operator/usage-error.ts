/** What the caller of a command did wrong, in words for them. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
