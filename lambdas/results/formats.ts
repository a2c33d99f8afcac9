export const RESULTS_FORMATS = ['geojson', 'csv', 'stac'] as const;

export type ResultsFormat = (typeof RESULTS_FORMATS)[number];

/** RFC 7946, section 12. */
export const GEOJSON = 'application/geo+json';
