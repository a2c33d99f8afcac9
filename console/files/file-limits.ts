/** Far more than a request may have: files also contain layers and indexes that are not sent. */
export const MOST_BYTES = 50_000_000;

/** A few times the service's limits for one batch. Many more would freeze the page. */
export const MOST_FIELDS = 5_000;
export const MOST_VERTICES = 500_000;

/** The deepest nesting of arrays and objects, or of KML elements: the service's own limit for a JSON body. */
export const MOST_DEPTH = 64;

/**
 * The most arrays and objects in a JSON file, which has one for each vertex and a few for each field. Parsed, they take
 * much more memory than their text.
 */
export const MOST_CONTAINERS = 2 * MOST_VERTICES;

/** The radius of discs around points, in metres. The largest disc has the area of the largest job
 * (`hectares_per_job` of `GET /v1/limits`). */
export const LEAST_RADIUS = 1;
export const MOST_RADIUS = 3_989;

/** Discs closer to a pole might contain the pole, which a ring in degrees cannot. */
export const MOST_LATITUDE = 89;
