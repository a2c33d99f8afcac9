/** A UDUNITS spelling for people: `kg/m3` as kg/m³. */
export function formatUnit(unit: string): string {
  return unit.replace(/(?<=[a-z])2\b/g, '²').replace(/(?<=[a-z])3\b/g, '³');
}
