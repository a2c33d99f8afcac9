import { describe, expect, it } from 'vitest';
import type { Field } from '../../../cli/src/fields/field-collection.ts';
import { attributeColumns } from '../../../cli/src/results/attribute-columns.ts';

function field(properties: Field['properties']): Field {
  return { type: 'Feature', geometry: { type: 'Polygon', coordinates: [] }, properties };
}

const typesOf = (fields: readonly Field[]) =>
  attributeColumns(null, fields).map(({ name, type }) => `${name}: ${type}`);

describe('the columns of attributes', () => {
  it('of GeoJSON have the type that all their values have', () => {
    const fields = [
      field({ a: 1, b: 1, c: true, d: 'x', e: null, f: 1, g: 2 ** 60 }),
      field({ a: 2, b: 1.5, c: null, d: 3, e: null, h: { k: [1] } }),
    ];
    expect(typesOf(fields)).toEqual([
      'a: Integer64',
      'b: Real',
      'c: Boolean',
      'd: String',
      'e: String',
      'f: Integer64',
      'g: Real',
      'h: String',
    ]);
  });

  it('never share a name with a result or another attribute, whatever the case', () => {
    const text = { type: 'String', subtype: null };
    const names = ['status', 'STATUS', 'Geom', 'id', 'ID', 'status_input'];
    const columns = attributeColumns(
      names.map((name) => ({ name, ...text })),
      [],
    );
    expect(columns.map(({ name }) => name)).toEqual([
      'status_input',
      'STATUS_input_input',
      'Geom_input',
      'id',
      'ID_input',
      'status_input_input_input',
    ]);
  });

  it('hold scalars, everything else as JSON', () => {
    const fields = [field({ a: { k: [1] }, b: 'x', c: null, __proto__x: 1 })];
    const [job] = fields.map((one) => ({
      field: one,
      name: 'a',
      year: 2021,
      job: null,
      batchId: null,
      model: null,
      file: null,
    }));
    const cells = attributeColumns(null, fields).map((column) => job && column.cellOf(job));
    expect(cells).toEqual(['{"k":[1]}', 'x', null, 1]);
  });
});
