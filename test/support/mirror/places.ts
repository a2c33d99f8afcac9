import { boxRing } from '../box.ts';

type Box = readonly [west: number, south: number, east: number, north: number];

/** Returns a box of about 2 km around a position. Its edges lie between cell edges and centres. */
function boxAround(lon: number, lat: number): Box {
  const [high, wide] = [0.0101, 0.0101 / Math.cos((lat * Math.PI) / 180)];
  const roundBetween = (degrees: number) => Math.round(degrees * 1_000) / 1_000 + 0.0002;
  return [
    roundBetween(lon - wide),
    roundBetween(lat - high),
    roundBetween(lon + wide),
    roundBetween(lat + high),
  ];
}

const field = (lon: number, lat: number) => ({
  type: 'Polygon',
  coordinates: [boxRing(...boxAround(lon, lat))],
});

/** Places where `local/mirror/make.py` has values. */
export const PLACES: Readonly<
  Record<string, { readonly type: string; readonly coordinates: unknown }>
> = {
  iowa: field(-93.6, 42),
  pampa: field(-60.5, -34.5),
  beauce: field(1.5, 48.2),
  kenya: field(36.9, -0.3),
  punjab: field(75.6, 31),
  wimmera: field(142.2, -36.4),
  finnmark: field(25.4, 70),
  taymyr: field(98, 75.9),
  coast: field(-8.9, 40.2),
  fiji: {
    type: 'MultiPolygon',
    coordinates: [
      [boxRing(179.9902, -16.6098, 180, -16.5898)],
      [boxRing(-180, -16.6098, -179.9898, -16.5898)],
    ],
  },
};
