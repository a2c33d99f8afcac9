type Position = [lon: number, lat: number];

/** Draws a zigzag between two parallels from west to east, and back slightly further south. */
export function thinZigzag(
  [west, south, east, north]: readonly [number, number, number, number],
  vertices: number,
  width: number,
) {
  const corners = vertices / 2;
  const outward = Array.from({ length: corners }, (_, i): Position => {
    const lon = west + ((east - west) * i) / (corners - 1);
    return [lon, i % 2 === 0 ? south : north];
  });
  const back = outward.map(([lon, lat]): Position => [lon, lat - width]).reverse();
  return { type: 'Polygon' as const, coordinates: [[...outward, ...back, ...outward.slice(0, 1)]] };
}
