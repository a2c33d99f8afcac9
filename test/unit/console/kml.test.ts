import { describe, expect, it } from 'vitest';
import { parsePlacemarks } from '../../../console/files/kml.ts';

const LIMITS = { features: 3, positions: 20 };
const POLYGON = `<Polygon><outerBoundaryIs><LinearRing><coordinates>
  5,50 6,50,0 6,51 5,50 </coordinates></LinearRing></outerBoundaryIs></Polygon>`;

describe('a KML file', () => {
  it.each<[string, string, RegExp]>([
    ['too many levels', '<a>'.repeat(70), /64 levels/],
    [
      'a Placemark with too many elements',
      `<Placemark>${'<a/>'.repeat(300_001)}</Placemark>`,
      /300000/,
    ],
    ['too many features', '<Placemark/>'.repeat(4), /more than 3 features/],
    ['too many vertices', `<Placemark>${POLYGON.repeat(6)}</Placemark>`, /20 vertices/],
  ])('is rejected if it has %s', (_, content, problem) => {
    const text = `<kml><Document>${content}</Document></kml>`;
    expect(() => parsePlacemarks(text, LIMITS)).toThrow(problem);
  });
});
