/** What is used of it. The types of its positions alone would take seconds to check. */
declare module 'world-atlas/countries-50m.json' {
  export const arcs: readonly unknown[];
  export const transform: unknown;
  export const objects: { readonly land: unknown };
}
