import { expect, it } from 'vitest';
import { findLimits, findSupport, hasTrueZero } from '../../../../engine/model/pack/property.ts';

const propertyOf = (name: string, unit: string) => ({
  name,
  unit,
  depth_cm: [0, 30] as [number, number],
});

it.each([
  ['soil organic carbon', 'g/kg', 0, 1000],
  ['soil organic carbon', 'g kg⁻¹', 0, 1000],
  ['clay', '%', 0, 100],
  ['phosphorus', 'mg/kg', 0, 1e6],
  ['bulk density', 'g/cm³', 0, Infinity],
  ['carbon density', 'kg/m^3', 0, Infinity],
  ['carbon stock', 'Mg ha-1', 0, Infinity],
  ['pH in water', '1', 0, 14],
  ['deviation of pH', '1', -Infinity, Infinity],
  ['Change in carbon stock', 't/ha', -Infinity, Infinity],
  ['soil temperature', 'K', -Infinity, Infinity],
])('%s in %s lies between %d and %d', (name, unit, lower, upper) => {
  expect(findLimits(propertyOf(name, unit))).toEqual({ lower, upper });
});

it('limits in the manifest replace the usual limits', () => {
  const property = { ...propertyOf('water content', '%'), limits: [0, null] as [number, null] };
  expect(findLimits(property)).toEqual({ lower: 0, upper: Infinity });
  expect(hasTrueZero({ property, distribution: undefined })).toBe(true);
  const open = { ...property, limits: [null, null] as [null, null] };
  expect(hasTrueZero({ property: open, distribution: undefined })).toBe(false);
});

it('a prediction also lies within the support of its distribution', () => {
  const distribution = { first_target: 1, thresholds: [5, 60], lower: -2, upper: 80 };
  const property = propertyOf('carbon stock', 't/ha');
  expect(findSupport({ property, distribution })).toEqual({ lower: 0, upper: 80 });
});
