import { TEXTS } from '../texts.ts';
import { type Choice, FileRejected, type Question, type Remark } from './file-fields.ts';
import { decoderFor, decodeText, findEncoding, type TextEncoding } from './text-encoding.ts';

interface FileText {
  readonly text: string;
  readonly remarks: readonly Remark[];
  readonly questions: readonly Question[];
}

/** Byte order marks, and the first bytes of UTF-16 XML without one (XML 1.0, appendix F). */
const MARKS: readonly (readonly [mark: string, encoding: TextEncoding])[] = [
  ['\u00ff\u00fe', 'utf-16le'],
  ['\u00fe\u00ff', 'utf-16be'],
  ['<\0', 'utf-16le'],
  ['\0<', 'utf-16be'],
  ['\u00ef\u00bb\u00bf', 'utf-8'],
];

/**
 * Decodes a file. The encoding is the first of these: the user's choice; that of a byte order mark; the one
 * that the file states or its format implies; UTF-8 or CP1252, with a remark.
 */
export function fileText(
  fileName: string,
  content: Uint8Array,
  stated: string,
  { encoding: chosen }: Choice,
): FileText {
  if (chosen !== undefined) {
    const text = decoderFor(requireEncoding(fileName, chosen))(content);
    return { text, remarks: [], questions: [{ kind: 'encoding' }] };
  }
  const start = String.fromCharCode(...content.subarray(0, 3));
  const own = MARKS.find(([mark]) => start.startsWith(mark))?.[1] ?? findEncoding(stated);
  const text = own === undefined ? undefined : decodeText(own, content, false);
  if (text !== undefined) return { text, remarks: [], questions: [] };
  const utf8 = decodeText('utf-8', content, false);
  const encoding = utf8 === undefined ? 'windows-1252' : 'utf-8';
  const message = TEXTS.file.encodingOther(fileName, stated, encoding);
  return {
    text: utf8 ?? decoderFor(encoding)(content),
    remarks: [{ kind: 'encoding', message }],
    questions: [{ kind: 'encoding' }],
  };
}

export function requireEncoding(fileName: string, chosen: string): TextEncoding {
  const encoding = findEncoding(chosen);
  if (encoding !== undefined) return encoding;
  throw new FileRejected('encoding_unknown', TEXTS.file.encodingUnknown(fileName, chosen));
}
