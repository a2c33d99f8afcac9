/** Formats a UDUNITS unit for people: `kg/m3` becomes kg/m³. */
export function formatUnit(unit: string): string {
  return unit.replace(/(?<=[a-z])2\b/g, '²').replace(/(?<=[a-z])3\b/g, '³');
}
