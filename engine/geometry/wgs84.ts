/** WGS84's semi-major axis in metres, and its flattening (NGA.STND.0036). */
export const SEMI_MAJOR = 6_378_137;
const FLATTENING = 1 / 298.257223563;
export const ECCENTRICITY_2 = FLATTENING * (2 - FLATTENING);

export const RADIANS_PER_DEGREE = Math.PI / 180;
