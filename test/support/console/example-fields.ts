/** Returns fields on the flood plain of the Meuse near Stein as a GeoJSON file. The last one crosses itself. */
export function exampleFields(): string {
  const names = ['River plot', 'Long meadow', 'By the mill', 'Back plot', 'Clover', 'Great meadow'];
  const rows = names.map((name, index) => {
    const west = 5.729 + (index % 3) * 0.0085;
    const south = 50.964 + Math.floor(index / 3) * 0.0062;
    const corners = [
      [0, 0.0006],
      [0.0036, 0],
      [0.0074, 0.0011],
      [0.0068, 0.0048],
      [0.0031, 0.0054],
      [0.0004, 0.0041],
      [0, 0.0006],
    ];
    return feature(
      name,
      corners.map(([x = 0, y = 0]) => [west + x, south + y]),
    );
  });
  const crossing = [
    [5.739, 50.977],
    [5.7455, 50.9805],
    [5.7455, 50.977],
    [5.739, 50.9805],
    [5.739, 50.977],
  ];
  return JSON.stringify({
    type: 'FeatureCollection',
    features: [...rows, feature('New plot', crossing)],
  });
}

function feature(name: string, ring: readonly (readonly number[])[]) {
  return {
    type: 'Feature',
    properties: { name },
    geometry: { type: 'Polygon', coordinates: [ring] },
  };
}
