/** Returns a closed ring of positions [longitude, latitude], counter-clockwise. */
export function boxRing(
  west: number,
  south: number,
  east: number,
  north: number,
): [number, number][] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

export function aBox(west: number, south: number, east: number, north: number) {
  return { type: 'Polygon' as const, coordinates: [boxRing(west, south, east, north)] };
}

export function squareRing(west: number, south: number, size: number): [number, number][] {
  return boxRing(west, south, west + size, south + size);
}

export function aSquare(west: number, south: number, size: number) {
  return aBox(west, south, west + size, south + size);
}
