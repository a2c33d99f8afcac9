import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureJsonShape } from '#engine/json/json-bytes.ts';

const shapeOf = (text: string) => measureJsonShape(new TextEncoder().encode(text));

function shapeOfValue(value: unknown): ReturnType<typeof measureJsonShape> {
  if (typeof value !== 'object' || value === null) return { depth: 0, containers: 0 };
  const inner = Object.values(value).map(shapeOfValue);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    containers: 1 + inner.reduce((sum, { containers }) => sum + containers, 0),
  };
}

describe('the shape of a JSON text', () => {
  it('counts arrays and objects, but nothing inside strings', () => {
    expect(shapeOf('"[[["')).toEqual({ depth: 0, containers: 0 });
    expect(shapeOf('{"a":[1,{"b\\\\\\"[":[]}],"c":[]}')).toEqual({ depth: 4, containers: 5 });
  });

  it("matches the parsed value's shape", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, '\t'), (value, indent) => {
        expect(shapeOf(JSON.stringify(value, null, indent))).toEqual(shapeOfValue(value));
      }),
    );
  });

  it('is determined for any bytes, however broken', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const { depth, containers } = measureJsonShape(bytes);
        expect(depth).toBeGreaterThanOrEqual(0);
        expect(depth).toBeLessThanOrEqual(containers);
      }),
    );
  });
});
