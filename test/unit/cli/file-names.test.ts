import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileNames } from '../../../cli/src/run/file-names.ts';

const namesOf = (...names: readonly string[]) =>
  fileNames(names.map((name) => ({ name, year: 2021 })));

describe('the file name of a raster', () => {
  it.each([
    ['Field around a pond', 'Field-around-a-pond_2021.tif'],
    ['Äcker', 'Äcker_2021.tif'],
    ['../../etc/passwd', 'etc-passwd_2021.tif'],
    ['C:\\Windows\\system32', 'C-Windows-system32_2021.tif'],
    ['CON.north', 'CON-.north_2021.tif'],
    ['com1', 'com1_2021.tif'],
    ['.hidden', 'hidden_2021.tif'],
    ['\u001b]0;title\u0007', '0-title_2021.tif'],
    ['a\u202Egpj.exe', 'a-gpj.exe_2021.tif'],
    ['…', 'field_2021.tif'],
    ['', 'field_2021.tif'],
  ])('of %j is %s', (name, file) => {
    expect(namesOf(name)).toEqual([file]);
  });

  it('gets a number where file systems would take it for another’s', () => {
    expect(namesOf('a', 'A', 'a/', 'e\u0301', '\u00e9')).toEqual([
      'a_2021.tif',
      'A_2021-2.tif',
      'a_2021-3.tif',
      'é_2021.tif',
      'é_2021-2.tif',
    ]);
  });

  it('is one that file systems accept, unique, and the same in every run', () => {
    const years = fc.constantFrom(2021, 2022);
    const job = fc.record({ name: fc.string({ unit: 'binary', maxLength: 300 }), year: years });
    fc.assert(
      fc.property(fc.array(job, { maxLength: 30 }), (jobs) => {
        const files = fileNames(jobs);
        const keys = files.map((file) => file.normalize('NFC').toLowerCase());
        expect(new Set(keys).size).toBe(jobs.length);
        for (const file of files) {
          expect(Buffer.byteLength(file)).toBeLessThanOrEqual(230);
          expect(file).toMatch(/^[^./\\:*?"<>|\p{Cc}\p{Cf}][^/\\:*?"<>|\p{Cc}\p{Cf}]*\.tif$/u);
        }
        expect(fileNames(jobs)).toEqual(files);
      }),
    );
  });
});
