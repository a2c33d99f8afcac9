import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { afterAll, describe, expect, it } from 'vitest';
import { readFields } from '../../../cli/src/fields/read-fields.ts';
import { makeFields, problemOf } from '../../support/fields.ts';

const { folder } = makeFields();
const at = (name: string) => join(folder, name);

afterAll(() => rmSync(folder, { recursive: true }));

/** A copy of a file, with these bytes overwritten or cut off. */
function damaged(name: string, copy: string, { from, to }: { from: number; to?: number }): string {
  const bytes = readFileSync(at(name));
  writeFileSync(at(copy), to === undefined ? bytes.subarray(0, from) : bytes.fill(0xff, from, to));
  return at(copy);
}

describe('an archive', () => {
  it.each([
    ['one.zip', undefined, 'Shapefile', '28992'],
    ['two.zip', '25832', 'Shapefile', '25832'],
    ['package.zip', undefined, 'GeoPackage', '28992'],
  ])('%s (layer %s) is read', async (name, layer, format, read) => {
    const found = await readFields(at(name), { layer });
    expect({ format: found.format, layer: found.layer }).toEqual({ format, layer: read });
    expect(found.features).toHaveLength(3);
  });

  it.each([
    ['two.zip', /^choose-layer: two\.zip has 2 layers: "28992", "25832"\./],
    [
      'outside.zip',
      'damaged: outside.zip is not a whole zip archive: invalid relative path: ../28992.shp.',
    ],
    ['bomb.zip', /^too-large: The fields in bomb\.zip have 201 MB; at most 100 MB can be read\.$/],
    ['photos.zip', /^unknown-format: photos\.zip contains no file of fields/],
    ['empty.zip', /^unknown-format: empty\.zip contains no file of fields/],
  ])('%s is refused', async (name, problem) => {
    expect(await problemOf(at(name))).toMatch(problem);
  });

  it('is refused before it is parsed if its JSON is deep: 20 kB of zip, 20 MB of [', async () => {
    const deep = new Uint8Array(20_000_000).fill(0x5b);
    writeFileSync(at('deep.zip'), zipSync({ 'fields.geojson': deep }));
    const started = process.cpuUsage();
    expect(await problemOf(at('deep.zip'))).toBe(
      'too-large: fields.geojson in deep.zip nests arrays and objects 20000000 levels deep; at most 64 can be read.',
    );
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1e6).toBeLessThan(2);
  });

  it('of more than 1,000 files is refused unread', async () => {
    const names = Array.from({ length: 1_001 }, (_, index) => `${index}.shp`);
    const files = Object.fromEntries(names.map((name) => [name, new Uint8Array()]));
    writeFileSync(at('many.zip'), zipSync(files));
    expect(await problemOf(at('many.zip'))).toBe(
      'too-large: many.zip contains 1001 files; at most 1000 can be read. Make an archive of the fields alone.',
    );
  });

  it('that is cut off or changed is refused', async () => {
    const { length } = readFileSync(at('one.zip'));
    expect(await problemOf(damaged('one.zip', 'cut.zip', { from: length - 200 }))).toMatch(
      /^damaged: cut\.zip is not a whole zip archive: /,
    );
    const data = readFileSync(at('package.zip')).indexOf('fields.gpkg') + 2000;
    expect(
      await problemOf(damaged('package.zip', 'bad.zip', { from: data, to: data + 9 })),
    ).toMatch(/^damaged: /);
  });

  it('with another checksum is refused', async () => {
    const stored = zipOf('fields.geojson', '{"type":"Polygon","coordinates":[]}', 0xbad);
    writeFileSync(at('checksum.zip'), stored);
    expect(await problemOf(at('checksum.zip'))).toBe(
      'damaged: fields.geojson in checksum.zip is damaged: its checksum is another.',
    );
  });
});

describe('a damaged file', () => {
  it.each([
    ['28992.gpkg', 40_000, undefined],
    ['28992.gpkg', 30_000, 60_000],
    ['28992.fgb', 1900, undefined],
    ['28992.fgb', 12, 200],
  ])('(%s from byte %i to %s) is refused', async (name, from, to) => {
    const copy = name.replace('28992', `damaged-${from}`);
    const path = damaged(name, copy, to === undefined ? { from } : { from, to });
    expect(await problemOf(path)).toMatch(/^damaged: damaged-\d+\.\w+ is damaged: .*\.$/);
  });

  it('without the shapes that its index lists is refused', async () => {
    for (const part of ['shx', 'dbf', 'prj']) cpSync(at(`28992.${part}`), at(`short.${part}`));
    expect(await problemOf(damaged('28992.shp', 'short.shp', { from: 150 }))).toBe(
      'not-polygons: Every field must be a polygon, but of 3 features short.shp has 3 without geometry (the first is feature 1).',
    );
  });

  it('of 200 MB is refused unread', async () => {
    writeFileSync(at('large.gpkg'), readFileSync(at('28992.gpkg')));
    truncateSync(at('large.gpkg'), 200_000_000);
    expect(await problemOf(at('large.gpkg'))).toBe(
      'too-large: large.gpkg has 200 MB; at most 100 MB can be read. Split it, or remove what is not needed.',
    );
  });

  it('that is a part of a Shapefile, or lacks one, is refused', async () => {
    expect(await problemOf(at('28992.dbf'))).toMatch(/^unknown-format: .* name its \.shp file/);
    cpSync(at('28992.shp'), at('alone.shp'));
    expect(await problemOf(at('alone.shp'))).toMatch(
      /^damaged: The \.dbf file of alone\.shp is missing/,
    );
  });
});

describe('what is no regular file', () => {
  it('is refused at once: a pipe that nobody writes to', async () => {
    execFileSync('mkfifo', [at('pipe.geojson'), at('piped.shx')]);
    expect(await problemOf(at('pipe.geojson'))).toBe(
      'unknown-format: pipe.geojson is a pipe or a device, not a file: save its content to a file first.',
    );
    cpSync(at('28992.shp'), at('piped.shp'));
    expect(await problemOf(at('piped.shp'))).toMatch(/^unknown-format: piped\.shx is a pipe/);
  });

  it('is refused: a device without end, a folder', async () => {
    expect(await problemOf('/dev/zero')).toMatch(/^unknown-format: zero is a pipe or a device/);
    expect(await problemOf(folder)).toMatch(/^unknown-format: .* is a folder\.$/);
  });
});

/** An archive of one stored file, with this checksum. */
function zipOf(name: string, content: string, checksum: number): Buffer {
  const size = Buffer.byteLength(content);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt32LE(checksum, 10);
  common.writeUInt32LE(size, 14);
  common.writeUInt32LE(size, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name + content)]);
  const central = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\x00'),
    common,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}
