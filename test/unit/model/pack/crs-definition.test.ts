import { expect, it } from 'vitest';
import { findDefinitionProblems } from '../../../../engine/model/pack/crs-definition.ts';

it.each([
  [
    'a datum with a shift',
    '+proj=tmerc +lon_0=9 +x_0=3500000 +ellps=bessel +towgs84=598.1,73.7,418.2,0.202,0.045,-2.455,6.7',
  ],
  ['a datum that differs from WGS84 by centimetres', '+proj=utm +zone=32 +ellps=GRS80 +type=crs'],
  ['a named datum', '+proj=utm +zone=1 +south +datum=WGS84 +units=m +no_defs'],
  ['the semi-major axis and flattening of WGS84', '+proj=longlat +a=6378137 +rf=298.257223563'],
  [
    'a semi-major axis and flattening with a shift',
    '+proj=longlat +a=6378388 +rf=297 +towgs84=-87,-98,-121',
  ],
  ['a sphere', '+proj=sinu +R=6371007.181'],
  ['Web Mercator', '+proj=merc +a=6378137 +b=6378137 +nadgrids=@null'],
])('a definition may have %s', (_, definition) => {
  expect(findDefinitionProblems(definition)).toEqual([]);
});

it.each([
  ['an ellipsoid without a shift', '+proj=utm +zone=31 +ellps=intl', /"intl".*"\+towgs84=…"/],
  [
    'a semi-major axis and flattening without a shift',
    '+proj=utm +zone=31 +a=6378388 +rf=297',
    /a 6378388.*"\+towgs84=…"/,
  ],
  ['a null grid shift', '+proj=longlat +ellps=intl +nadgrids=@null', /"intl".*"\+towgs84=…"/],
  ['a parameter in capitals', '+proj=utm +zone=31 +Ellps=intl', /^"\+Ellps=intl" is not supported/],
  ['an unknown datum', '+proj=longlat +datum=Amersfoort', /^"\+datum" is supported only for WGS84/],
  ['an unknown ellipsoid', '+proj=longlat +ellps=Foo +towgs84=1,2,3', /Foo.*proj4js knows/],
  ['an unknown parameter', '+proj=longlat +foo=1', /^"\+foo=1" is not supported/],
  ['an unknown unit', '+proj=utm +zone=31 +units=yard', /^"\+units=yard" is not supported/],
  ['a word instead of a number', '+proj=utm +zone=north', /^"\+zone=north" is not supported/],
  ['a flag with a value', '+proj=utm +zone=31 +south=1', /^"\+south=1" is not supported/],
  ['a repeated parameter', '+proj=utm +zone=31 +zone=32', /^"\+zone=32" is a repeated parameter/],
  ['an incomplete shift', '+proj=longlat +ellps=intl +towgs84=1,2', /three or seven numbers/],
  ['text between parameters', '+proj=longlat ellps=intl', /^"ellps=intl" is not supported/],
  ['parameters without a space', '+proj=longlat+ellps=intl', /is not a supported projection/],
])('a definition with %s is rejected', (_, definition, reason) => {
  expect(findDefinitionProblems(definition)).toEqual([expect.stringMatching(reason)]);
});
