import { describe, expect, it } from 'vitest';
import { readSampleTable } from '../../../bin/packs/sample-table.ts';

describe('a table of samples', () => {
  it('keeps its lines and says where they lie', () => {
    const text = '\ufeffid,lat,lon,note\r\n1,50.5, 3.25,"clay, ""wet"""\r\n\r\n2,-50,-3,\r\n';
    expect(readSampleTable(text)).toEqual({
      header: 'id,lat,lon,note',
      columns: ['id', 'lat', 'lon', 'note'],
      samples: [
        {
          line: '1,50.5, 3.25,"clay, ""wet"""',
          position: [3.25, 50.5],
          fields: ['1', '50.5', '3.25', 'clay, "wet"'],
        },
        { line: '2,-50,-3,', position: [-3, -50], fields: ['2', '-50', '-3', ''] },
      ],
    });
  });

  it.each([
    ['x,y\n1,2', /header.*lon and lat.*x,y/],
    ['lon;lat\n1;2', /header.*lon and lat/],
    ['lon,lat\n3,50\n3', /sample 2 .*1 fields.* 2$/],
    ['lon,lat\n3,', /sample 1.*±90.*""/],
    ['lon,lat\n178440,50', /sample 1.*±180.*"178440"/],
  ])('is rejected with the sample and the reason: %j', (text, message) => {
    expect(() => readSampleTable(text)).toThrow(message);
  });
});
