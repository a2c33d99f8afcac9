/**
 * Stands in bundles for zod's English words of what is wrong with a manifest: a pack is judged, and
 * told of, before it is deployed.
 */
// biome-ignore lint/style/noDefaultExport: what it stands for has one
export default function unworded() {
  return { localeError: () => undefined };
}
