import { describe, expect, it } from 'vitest';
import { medianStock } from '../../../bin/packs/median-stock.ts';

const property = { name: 'carbon', depth_cm: [0, 30] as [number, number], substance: 'carbon' };
const stockIn = (unit: string, ...values: readonly number[]) =>
  medianStock({ property: { ...property, unit } }, 'the median cell', values);

describe('the stock of the median', () => {
  it('is in t/ha, whatever the unit, so that a factor of ten shows', () => {
    const [right] = stockIn('t/ha', 75, 81, 900);
    expect(right).toBe('stock of the median cell: 81 t/ha of carbon in 0 to 30 cm');
    expect(stockIn('kg/m3', 27, 25, 300)).toEqual([right]);
    expect(stockIn('kg/m3', 75, 81, 900)).toEqual([
      'stock of the median cell: 243 t/ha of carbon in 0 to 30 cm',
    ]);
  });

  it('is none of other units, or without values', () => {
    expect([...stockIn('%', 3), ...stockIn('t/ha')]).toEqual([]);
  });
});
