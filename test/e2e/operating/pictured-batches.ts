import { aSquare } from '../../box.ts';

// Jobs of the pictures in the docs.

/** A square of so many degrees, at some place of the default model's coverage. */
function field(index: number, degrees: number) {
  const [west, south] = [5.722 + (index % 12) * 0.0012, 50.956 + (index % 9) * 0.002];
  return { polygon: aSquare(west, south, degrees), year: 2024, name: `Field ${index + 1}` };
}

const crossed = {
  polygon: {
    type: 'Polygon',
    coordinates: [
      [
        [5.73, 50.96],
        [5.74, 50.97],
        [5.74, 50.96],
        [5.73, 50.97],
        [5.73, 50.96],
      ],
    ],
  },
  year: 2024,
  name: 'Bow tie',
};

/** So many fields, and a bow tie now and then. */
export const many = (count: number, degrees: number) =>
  Array.from({ length: count }, (_, index) => (index % 17 === 7 ? crossed : field(index, degrees)));
