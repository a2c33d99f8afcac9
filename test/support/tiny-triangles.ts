/** Draws triangles of 1e-7° (one centimetre), spread over the grid of the default pack. */
export function tinyTriangles(count: number) {
  const across = Math.ceil(Math.sqrt(count));
  const coordinates = Array.from({ length: count }, (_, i) => {
    const lon = 5.725 + (0.035 * (i % across)) / across;
    const lat = 50.96 + (0.03 * Math.floor(i / across)) / across;
    const corners = [
      [lon, lat],
      [lon + 1e-7, lat],
      [lon, lat + 1e-7],
    ];
    return [[...corners, ...corners.slice(0, 1)]];
  });
  return { type: 'MultiPolygon' as const, coordinates };
}
