/** A request has at most 4 MB, so a larger file could not be sent anyway. */
export const MOST_BYTES = 50_000_000;

/**
 * Several times what the service takes in one batch (1,000 fields and 170,000 vertices). The page shows each
 * field in its table, and each vertex of the field that is edited: many more would stop it for a minute.
 */
export const MOST_FIELDS = 5_000;
export const MOST_VERTICES = 500_000;

/**
 * Of JSON, whose value may take a hundred times the memory of its text: the arrays and objects of a file,
 * which has one for each vertex and a few for each field.
 */
export const MOST_CONTAINERS = 2 * MOST_VERTICES;
