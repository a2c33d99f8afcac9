type Position = [lon: number, lat: number];

/** Up and down between two parallels from west to east, and back as little further south. */
export function thinZigzag(
  [west, south, east, north]: readonly [number, number, number, number],
  vertices: number,
  width: number,
) {
  const corners = vertices / 2;
  const there = Array.from({ length: corners }, (_, i): Position => {
    const lon = west + ((east - west) * i) / (corners - 1);
    return [lon, i % 2 === 0 ? south : north];
  });
  const back = there.map(([lon, lat]): Position => [lon, lat - width]).reverse();
  return { type: 'Polygon' as const, coordinates: [[...there, ...back, ...there.slice(0, 1)]] };
}
