/** Creates a field of about 1 ha with this many vertices on the Meuse flood plain. */
export function createField(vertices: number, index: number): object {
  const [lon, lat] = [5.73 + (index % 30) * 1e-4, 50.965 + (index % 17) * 1e-4];
  const ring = Array.from({ length: vertices - 1 }, (_, i) => {
    const angle = (2 * Math.PI * i) / (vertices - 1);
    // The outline has lobes, so that few of its edges are alike.
    const radius = 8e-4 * (1 + 0.2 * Math.sin(9 * angle));
    return [
      Number((lon + radius * Math.cos(angle)).toFixed(7)),
      Number((lat + radius * 0.63 * Math.sin(angle)).toFixed(7)),
    ];
  });
  return { type: 'Polygon', coordinates: [[...ring, ring[0]]] };
}

/** Writes the body of a batch of fields as compact JSON. */
export function createBody(jobs: number, vertices: number): string {
  return JSON.stringify({
    jobs: Array.from({ length: jobs }, (_, index) => ({
      polygon: createField(vertices, index),
      year: 2024,
      name: `field ${index}`,
    })),
  });
}
