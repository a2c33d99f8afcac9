export type FileKind =
  | 'csv'
  | 'flatgeobuf'
  | 'geojson'
  | 'geopackage'
  | 'kml'
  | 'shapefile'
  | 'zip';

/** As many bytes as `fileKind` looks at: KML may begin with a comment. */
export const SIGNATURE_BYTES = 1_024;

const SIGNATURES: readonly (readonly [FileKind, readonly number[]])[] = [
  // "SQLite format 3" (https://www.sqlite.org/fileformat.html, section 1.3)
  ['geopackage', [...Buffer.from('SQLite format 3\0')]],
  // https://github.com/flatgeobuf/flatgeobuf: "fgb", major version 3, "fgb"
  ['flatgeobuf', [0x66, 0x67, 0x62, 0x03, 0x66, 0x67, 0x62]],
  // File code 9994 (ESRI Shapefile Technical Description, July 1998, table 1)
  ['shapefile', [0x00, 0x00, 0x27, 0x0a]],
  // Local file header, or the end record of an empty archive (APPNOTE.TXT 4.3.7 and 4.3.16)
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
];

const UTF8_MARK = /^\uFEFF/;

/** The kind of a file by its first bytes; its name may be wrong, but only CSV has no other. Null for others. */
export function fileKind(name: string, start: Buffer): FileKind | null {
  const known = SIGNATURES.find(([, signature]) =>
    start.subarray(0, signature.length).equals(Buffer.from(signature)),
  );
  if (known !== undefined) return known[0];
  const text = start.toString('utf8').replace(UTF8_MARK, '').trimStart();
  if (text.startsWith('{') || text.startsWith('[')) return 'geojson';
  if (text.startsWith('<')) return /<kml[\s>]/.test(text) ? 'kml' : null;
  return /\.csv$/i.test(name) && text !== '' && !text.includes('\0') ? 'csv' : null;
}
