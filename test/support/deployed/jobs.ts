/** A job of several patch-batches within the default pack. */
export const SEVERAL_PATCH_BATCHES = {
  polygon: {
    type: 'Polygon',
    coordinates: [
      [
        [5.73, 50.96],
        [5.745, 50.96],
        [5.745, 50.98],
        [5.73, 50.98],
        [5.73, 50.96],
      ],
    ],
  },
  year: 2024,
};
