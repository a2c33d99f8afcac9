/**
 * Stands in bundles for `wkt-parser` and `mgrs`, by which proj4 reads other texts than the
 * `+proj=` definitions that packs carry.
 */
function unread(): never {
  throw new Error('only `+proj=` definitions are read here');
}

// biome-ignore lint/style/noDefaultExport: what it stands for has one
export default unread;
export const toPoint = unread;
export const forward = unread;
