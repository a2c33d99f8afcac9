import { count } from '../numbers.ts';

export const FILE = {
  noJson: (name: string) => `${name} is not GeoJSON: it is not valid JSON.`,
  noFields: (name: string) => `${name} has no polygons.`,
  skipped: (skipped: number) => `${count(skipped, 'feature')} without a polygon left out.`,
  otherCrs: (name: string, crs: string) =>
    `${name} uses the coordinate reference system ${crs}, which this page can not convert exactly. Convert the file with the CLI.`,
  noCrs: (name: string) =>
    `${name} has no .prj file, so its coordinate reference system is unknown. Add it, or convert the file with the CLI.`,
  noShapefile: (name: string) => `${name} contains no Shapefile: it needs a .shp and a .dbf file.`,
  layers: (name: string, layers: readonly string[]) =>
    `${name} has ${layers.length} layers (${layers.slice(0, 5).join(', ')}). Extract one, or choose it with the CLI.`,
  damaged: (name: string) => `${name} is damaged and can not be read.`,
  tooLarge: (name: string, most: string) => `${name} has more than ${most}.`,
  unknown: (name: string) =>
    `${name} is none of GeoJSON, GeoPackage and zipped Shapefile. Convert it with the CLI.`,
} as const;
