import { TEXTS } from '../texts.ts';
import { crsOfWkt, findConversion } from './crs.ts';
import { type DbfTable, dbfTable, decodeRows, listTexts } from './dbf.ts';
import { selectFields } from './fields-among.ts';
import {
  type Choice,
  type FileFields,
  FileRejected,
  type Remark,
  tooManyError,
} from './file-fields.ts';
import { MOST_FIELDS, MOST_VERTICES } from './file-limits.ts';
import { requireEncoding } from './file-text.ts';
import { readShapes, type Shape } from './shp.ts';
import { decodeText, findCodePage, findEncoding, type TextEncoding } from './text-encoding.ts';
import { TooManyPositions } from './wkb.ts';

export interface ShapefileParts {
  readonly shp?: Uint8Array<ArrayBuffer>;
  readonly shx?: Uint8Array<ArrayBuffer>;
  readonly dbf?: Uint8Array<ArrayBuffer>;
  readonly prj?: Uint8Array<ArrayBuffer>;
  readonly cpg?: Uint8Array<ArrayBuffer>;
}

/** @throws FileRejected */
export function readShapefile(fileName: string, parts: ShapefileParts, choice: Choice): FileFields {
  const { shp, dbf, prj } = parts;
  if (shp === undefined || dbf === undefined) {
    throw new FileRejected('damaged', TEXTS.file.partMissing(fileName));
  }
  const named = prj === undefined ? null : crsOfWkt(new TextDecoder().decode(prj));
  const convert = findConversion(fileName, named, choice.crs);
  const { shapes, table } = readParts(fileName, shp, parts.shx, dbf);
  const { encoding, remarks, isSure } = chooseEncoding(fileName, table, parts.cpg, choice);
  const rows = decodeRows(table, encoding);
  const candidates = shapes.flatMap((geometry, index) => {
    const attributes = rows[index];
    // A row that is marked as deleted stays in the file until the file is packed.
    return attributes === null || attributes === undefined ? [] : [{ geometry, attributes }];
  });
  const read = selectFields(fileName, candidates, convert, choice);
  return {
    ...read,
    remarks: [...read.remarks, ...remarks],
    questions: isSure ? [] : [{ kind: 'encoding' }],
  };
}

interface ShapefileContent {
  readonly shapes: readonly (Shape | null)[];
  readonly table: DbfTable;
}

/** Each shape and the row at the same index form a feature, so there must be as many rows as shapes. */
function readParts(
  fileName: string,
  shp: Uint8Array,
  shx: Uint8Array | undefined,
  dbf: Uint8Array,
): ShapefileContent {
  try {
    const table = dbfTable(dbf);
    if (table.rows.length > MOST_FIELDS) throw tooManyError(fileName);
    const shapes = [...readShapes(shp, shx, MOST_VERTICES)];
    if (shapes.length === table.rows.length) return { shapes, table };
  } catch (error) {
    if (error instanceof FileRejected) throw error;
    if (error instanceof TooManyPositions) throw tooManyError(fileName);
    throw new FileRejected('damaged', TEXTS.file.damaged(fileName), { cause: error });
  }
  throw new FileRejected('damaged', TEXTS.file.rowsDiffer(fileName));
}

interface ChosenEncoding {
  readonly encoding: TextEncoding;
  readonly remarks: readonly Remark[];
  readonly isSure: boolean;
}

/**
 * Chooses the encoding of a table's text, the first of these: the user's choice; the one that the .cpg file or the
 * table states, if all text is valid in it; UTF-8 if all text is valid UTF-8 (text in other encodings rarely is);
 * CP1252.
 */
function chooseEncoding(
  fileName: string,
  table: DbfTable,
  cpg: Uint8Array | undefined,
  { encoding: chosen }: Choice,
): ChosenEncoding {
  if (chosen !== undefined) {
    return { encoding: requireEncoding(fileName, chosen), remarks: [], isSure: false };
  }
  const texts = [...listTexts(table)];
  const decoded = (encoding: TextEncoding) =>
    texts.map(({ bytes, mayBeCut }) => decodeText(encoding, bytes, mayBeCut));
  const ownText = cpg === undefined ? '' : new TextDecoder().decode(cpg).trim();
  const said = ownText === '' ? findCodePage(table.language) : ownText;
  const stated = findEncoding(said);
  if (stated !== undefined && !decoded(stated).includes(undefined)) {
    return { encoding: stated, remarks: [], isSure: texts.length === 0 || stated === 'utf-8' };
  }
  // An accented CP1252 letter at the end of a full column looks like a cut UTF-8 character.
  const utf8 = decoded('utf-8');
  const isUtf8 = !utf8.includes(undefined) && utf8.some((text) => /[^\0-\x7f]/.test(text ?? ''));
  const encoding = isUtf8 || texts.length === 0 ? 'utf-8' : 'windows-1252';
  if (texts.length === 0) return { encoding, remarks: [], isSure: true };
  const message =
    said === ''
      ? TEXTS.file.encodingGuessed(fileName, encoding)
      : TEXTS.file.encodingOther(fileName, said, encoding);
  const isGuess = said !== '' || encoding !== 'utf-8';
  return {
    encoding,
    remarks: isGuess ? [{ kind: 'encoding', message }] : [],
    isSure: !isGuess,
  };
}
