/** A path of the API; ids are encoded, so that they can't lead to another path. */
export function batchPath(batchId: string, ...rest: readonly string[]): string {
  return ['/v1/batch', batchId, ...rest]
    .map((part, i) => (i === 0 ? part : encoded(part)))
    .join('/');
}

/** `..` as a segment would be resolved by the URL parser, even as `%2e%2e`. */
export function encoded(segment: string): string {
  return /^\.+$/.test(segment) ? '-' : encodeURIComponent(segment);
}
