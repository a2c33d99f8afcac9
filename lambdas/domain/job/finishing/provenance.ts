import {
  digestsText,
  type PackDigests,
  parsedDigests,
  sha256,
} from '#engine/model/pack/digests.ts';

/** What a raster was made from, as its tags tell. */
export interface Provenance {
  /** Of the model's files at prediction. */
  readonly pack: PackDigests;
  /** {@link polygonDigest} of the polygon as sent. */
  readonly polygon: string;
  /** Version of the service that assembled it. */
  readonly version: string;
}

/** By name of the GeoTIFF tag. */
export type RasterTags = Readonly<Record<string, string>>;

const SERVICE = 'soil-batch';

export function provenanceTags({ pack, polygon, version }: Provenance): RasterTags {
  return {
    POLYGON_SHA256: polygon,
    PACK_SHA256: digestsText(pack).trimEnd(),
    SOFTWARE: `${SERVICE} ${version}`,
  };
}

/** Without the fields whose tags are absent or malformed. */
export function provenanceIn(tags: RasterTags): Partial<Provenance> {
  const { POLYGON_SHA256: polygon, PACK_SHA256: pack, SOFTWARE: software } = tags;
  return {
    ...(polygon === undefined ? {} : { polygon }),
    ...(pack === undefined ? {} : { pack: parsedDigests(pack) }),
    ...(software?.startsWith(`${SERVICE} `) ? { version: software.slice(SERVICE.length + 1) } : {}),
  };
}

/** Lower-case hex SHA-256 of a polygon as JSON without white space, fields in the order sent. */
export function polygonDigest(polygon: unknown): string {
  return sha256(JSON.stringify(polygon));
}
