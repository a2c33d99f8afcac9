/** RFC 6901 */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
