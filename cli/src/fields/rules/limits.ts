/** Of GeoJSON: the service's own limit of a body. */
export const MAX_JSON_DEPTH = 64;
