import { POLYGON_FIELDS } from '#engine/geometry/parse.ts';
import type { ReadFields } from '#engine/json/read-fields.ts';

/** The fields of a job's `polygon` that the service reads. A Feature's `id` and `properties` are its defaults. */
export const READ_OF_POLYGON: ReadFields = { ...POLYGON_FIELDS, id: {}, properties: {} };
