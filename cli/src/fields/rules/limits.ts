/** Arrays and objects, or elements of KML, within each other: the service's own limit of a JSON body. */
export const MAX_DEPTH = 64;

/** Of one Placemark of KML: three for each hole. */
export const MAX_PLACEMARK_ELEMENTS = 300_000;

/** The longest name that the service accepts (`name_characters` of `GET /v1/limits`). */
export const NAME_CHARACTERS = 255;
