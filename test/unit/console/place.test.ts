import { describe, expect, it } from 'vitest';
import { LATITUDE_FIRST, LONGITUDE_FIRST, parsePlace } from '../../../console/files/place.ts';
import { formatPlace } from '../../../console/numbers.ts';

describe('a place', () => {
  it.each([
    ['42.03, -93.6', [-93.6, 42.03]],
    ['42.03 -93.6', [-93.6, 42.03]],
    [' −33.9;18.4 ', [18.4, -33.9]],
    ['42.03N 93.6W', [-93.6, 42.03]],
    ['93.6 w, 42.03 n', [-93.6, 42.03]],
    ['N 42.03, W 93.6', [-93.6, 42.03]],
    ['93.6 W 42.03', [-93.6, 42.03]],
    ['-93.6, 42.03 N', [-93.6, 42.03]],
    [`42° 1' 48" N, 93° 36' W`, [-93.6, 42.03]],
    [`42°01′48.0″N93°36′00.0″W`, [-93.6, 42.03]],
    [`S 33º 54', E 18º 24'`, [18.4, -33.9]],
    ['42°, -93°', [-93, 42]],
    ['-90 180', [180, -90]],
  ])('is read from %s', (text, [lon = 0, lat = 0]) => {
    const place = parsePlace(text, LATITUDE_FIRST);
    expect(place?.[0]).toBeCloseTo(lon, 9);
    expect(place?.[1]).toBeCloseTo(lat, 9);
  });

  it.each([
    [5.7422512, 50.9713],
    [-93.6, 42.03],
    [18.4, -33.9],
    [0, -0.000001],
  ])('can be read back as the console writes it: %d, %d', (lon, lat) => {
    const place = parsePlace(formatPlace(lon, lat), LATITUDE_FIRST);
    expect(place?.[0]).toBeCloseTo(lon, 5);
    expect(place?.[1]).toBeCloseTo(lat, 5);
  });

  it('is read with the longitude first on request, unless letters say otherwise', () => {
    expect(parsePlace('5.7, 50.9', LONGITUDE_FIRST)).toEqual([5.7, 50.9]);
    expect(parsePlace('50.9 N 5.7 E', LONGITUDE_FIRST)).toEqual([5.7, 50.9]);
  });

  it.each([
    '',
    'Ames, Iowa',
    '42.03',
    '42.03, -93.6, 300',
    '42,03, -93,6',
    '42.03-93.6',
    '91, 10',
    '10, 181',
    '42 N, 93 N',
    '-42 N, 93 W',
    `42° 61' N, 93° W`,
    '42 30, 93 30',
    `42' N, 93' W`,
  ])('cannot be read from %j', (text) => {
    expect(parsePlace(text, LATITUDE_FIRST)).toBeNull();
  });
});
