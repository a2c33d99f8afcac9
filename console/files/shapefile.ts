import { unzipSync } from 'fflate';
import { read } from 'shapefile';
import { fileSize } from '../numbers.ts';
import { TEXTS } from '../texts.ts';
import { conversionOf, crsOfWkt } from './crs.ts';
import {
  askForLayer,
  type Choice,
  FileRejected,
  fieldsAmong,
  type ReadFile,
} from './file-fields.ts';
import { MOST_BYTES } from './file-limits.ts';

const PARTS = /\.(shp|dbf|prj|cpg)$/i;
/** What macOS adds for each file. */
const RESOURCE_FORK = /(^|\/)(__MACOSX\/|\._)/;

/** @throws FileRejected */
export async function readZippedShapefile(
  fileName: string,
  content: Uint8Array,
  choice: Choice,
): Promise<ReadFile> {
  const parts = partsOf(fileName, content, choice);
  const { shp, dbf, prj } = parts;
  if (shp === undefined || dbf === undefined) {
    throw new FileRejected(TEXTS.file.noShapefile(fileName));
  }
  const named = prj === undefined ? null : crsOfWkt(new TextDecoder().decode(prj));
  const convert = conversionOf(fileName, named, choice.crs);
  const { features } = await read(shp, dbf, { encoding: encodingOf(parts.cpg) }).catch(
    (error: unknown) => {
      throw new FileRejected(TEXTS.file.damaged(fileName), { cause: error });
    },
  );
  return fieldsAmong(
    features.map(({ geometry, properties }) => ({ attributes: properties ?? {}, geometry })),
    convert,
  );
}

interface Parts {
  readonly shp?: Uint8Array<ArrayBuffer>;
  readonly dbf?: Uint8Array<ArrayBuffer>;
  readonly prj?: Uint8Array<ArrayBuffer>;
  readonly cpg?: Uint8Array<ArrayBuffer>;
}

/** The parts of the chosen or only Shapefile of an archive, by their endings. */
function partsOf(fileName: string, content: Uint8Array, { layer }: Choice): Parts {
  let bytes = 0;
  const names = new Set<string>();
  const filter = ({ name, originalSize }: { name: string; originalSize: number }) => {
    if (!PARTS.test(name) || RESOURCE_FORK.test(name)) return false;
    const stem = name.replace(PARTS, '');
    if (layer !== undefined && stem !== layer) return false;
    names.add(stem);
    bytes += originalSize;
    if (bytes > MOST_BYTES) {
      throw new FileRejected(TEXTS.file.tooLarge(fileName, fileSize(MOST_BYTES)));
    }
    return true;
  };
  try {
    const files = unzipSync(content, { filter });
    if (names.size > 1) throw askForLayer(fileName, [...names]);
    return Object.fromEntries(
      Object.entries(files).map(([name, part]) => [name.slice(-3).toLowerCase(), part]),
    );
  } catch (error) {
    if (error instanceof FileRejected) throw error;
    throw new FileRejected(TEXTS.file.damaged(fileName), { cause: error });
  }
}

/** The encoding that a .cpg file names; without one, attributes are UTF-8. */
function encodingOf(cpg: Uint8Array | undefined): string {
  const name = cpg === undefined ? 'utf-8' : new TextDecoder().decode(cpg).trim();
  try {
    return new TextDecoder(/^\d{4,5}$/.test(name) ? `windows-${name}` : name).encoding;
  } catch {
    return 'utf-8';
  }
}
