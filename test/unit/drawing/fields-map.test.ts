import { describe, expect, it } from 'vitest';
import { hexOf, RAMP_STOPS } from '../../../client/src/drawing/colour-ramp.ts';
import { fieldsMap, type MappedField } from '../../../client/src/drawing/fields-map.ts';
import { aBox } from '../../support/box.ts';

const field = (name: string, value: number | null, west = 5.73): MappedField => ({
  name,
  value,
  polygon: aBox(west, 50.96, west + 0.01, 50.97),
});
const options = { unit: 'kg/m3', title: 'A farm' };

describe('the map of fields', () => {
  it('colours the lowest and the highest field with the ends of the ramp, and names each', () => {
    const svg = fieldsMap([field('low', 20), field('high', 40, 5.75)], options);
    const [low, high] = [RAMP_STOPS[0], RAMP_STOPS.at(-1)];
    expect(svg).toMatch(
      new RegExp(`fill="${hexOf(low?.colour ?? [0, 0, 0])}"><title>low: 20 kg/m³`),
    );
    expect(svg).toMatch(
      new RegExp(`fill="${hexOf(high?.colour ?? [0, 0, 0])}"><title>high: 40 kg/m³`),
    );
  });

  it('draws fields without a result, and has no legend without any', () => {
    const svg = fieldsMap([field('none', null)], options);
    expect(svg).toContain('none: no result');
    expect(svg).not.toContain('url(#scale)');
    expect(fieldsMap([], options)).toContain('</svg>');
  });

  it('escapes names, and leaves out what is no polygon', () => {
    const svg = fieldsMap(
      [
        { ...field('<script>', 1), polygon: { type: 'Point', coordinates: [1, 2] } },
        {
          ...field('odd', 2),
          polygon: { type: 'Polygon', coordinates: [[['a', 1], null, [1, 2]]] },
        },
      ],
      options,
    );
    expect(svg).not.toContain('<script>');
    expect(svg).not.toContain('NaN');
  });

  it('writes names that have room, and explains fields without a result', () => {
    const fields = [field('first', 20), field('second', 40, 5.75), field('hidden', 30)];
    const svg = fieldsMap([...fields, field('failed', null, 5.74)], options);
    for (const name of ['first', 'second', 'failed', 'no result'])
      expect(svg).toContain(`>${name}</text>`);
    expect(svg).not.toContain('>hidden</text>');
    expect(fieldsMap(fields, options)).not.toContain('no result');
  });

  it('is not shrunk by a far field without a result, which it counts', () => {
    const near = [field('low', 20), field('high', 40, 5.75)];
    const svg = fieldsMap([...near, field('far', null, 9)], options);
    expect(svg).toContain('1 more outside this map');
    expect(svg.match(/ d="M[^"]*"/)?.[0]).toBe(fieldsMap(near, options).match(/ d="M[^"]*"/)?.[0]);
  });

  it('keeps the shape of a field at its latitude', () => {
    // 0.02° of longitude are as long as 0.01° of latitude at 60°.
    const svg = fieldsMap(
      [{ name: 'square', value: 1, polygon: aBox(5, 60, 5.02, 60.01) }],
      options,
    );
    const numbers = (/ d="M([^Z]*)Z/.exec(svg)?.[1] ?? '').split(/[L ]/).map(Number);
    const [xs, ys] = [0, 1].map((axis) => numbers.filter((_, i) => i % 2 === axis));
    const span = (values: readonly number[] = []) => Math.max(...values) - Math.min(...values);
    expect(span(xs) / span(ys)).toBeCloseTo(1, 2);
  });
});
