/** Types for the parts that the console uses: the types inferred from the data would take seconds to check. */
declare module 'world-atlas/countries-50m.json' {
  export const arcs: readonly unknown[];
  export const transform: unknown;
  export const objects: { readonly land: unknown };
}
