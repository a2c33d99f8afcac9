import { unzipSync } from 'fflate';
import { formatFileSize } from '../numbers.ts';
import { TEXTS } from '../texts.ts';
import { type Choice, chooseLayer, FileRejected } from './file-fields.ts';
import { MOST_BYTES } from './file-limits.ts';
import type { ShapefileParts } from './shapefile.ts';

const SHAPEFILE_PART = /\.(shp|shx|dbf|prj|cpg)$/i;
const SINGLE = /\.(geojson|json|gpkg|kml)$/i;
const RESOURCE_FORK = /(^|\/)(__MACOSX\/|\._)/;

export type ArchiveContent =
  | { readonly kind: 'shapefile'; readonly parts: ShapefileParts }
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly content: Uint8Array<ArrayBuffer>;
      readonly choice: Choice;
    };

/** A layer of an archive. Its name is its path, which for a Shapefile lacks the file extension. */
interface ArchivedLayer {
  readonly name: string;
  readonly isShapefile: boolean;
}

/** @throws FileRejected */
export function findArchivedLayer(
  fileName: string,
  content: Uint8Array<ArrayBuffer>,
  choice: Choice,
): ArchiveContent {
  const layers = groupLayers(listNames(fileName, content));
  if (layers.length === 0) {
    throw new FileRejected('unknown_format', TEXTS.file.noArchived(fileName));
  }
  const [only] = layers;
  // If the archive has a single file, the chosen layer is a layer within that file.
  const isWithin = layers.length === 1 && only?.isShapefile === false;
  const wanted = isWithin ? {} : choice;
  const { name, isShapefile } = chooseLayer(fileName, layers, wanted, (layer) => [
    layer,
    layer.slice(layer.lastIndexOf('/') + 1),
  ]);
  if (isShapefile) {
    const files = extractFiles(
      fileName,
      content,
      (path) => path.replace(SHAPEFILE_PART, '') === name,
    );
    const parts = Object.entries(files).map(([path, part]) => [path.slice(-3).toLowerCase(), part]);
    return { kind: 'shapefile', parts: Object.fromEntries(parts) };
  }
  const { [name]: file } = extractFiles(fileName, content, (path) => path === name);
  if (file === undefined) throw new FileRejected('damaged', TEXTS.file.damaged(fileName));
  return { kind: 'file', name, content: file, choice: isWithin ? choice : withoutLayer(choice) };
}

function withoutLayer({ layer: _, ...choice }: Choice): Choice {
  return choice;
}

function groupLayers(paths: readonly string[]): readonly ArchivedLayer[] {
  const shapefiles = paths
    .filter((path) => /\.shp$/i.test(path))
    .map((path) => ({ name: path.replace(SHAPEFILE_PART, ''), isShapefile: true }));
  const singles = paths
    .filter((path) => SINGLE.test(path))
    .map((name) => ({ name, isShapefile: false }));
  return [...shapefiles, ...singles];
}

function listNames(fileName: string, content: Uint8Array<ArrayBuffer>): readonly string[] {
  const names: string[] = [];
  extractFiles(fileName, content, (name) => {
    names.push(name);
    return false;
  });
  return names;
}

function extractFiles(
  fileName: string,
  content: Uint8Array<ArrayBuffer>,
  isWanted: (name: string) => boolean,
): Readonly<Record<string, Uint8Array<ArrayBuffer>>> {
  let bytes = 0;
  const filter = ({ name, originalSize }: { name: string; originalSize: number }) => {
    const isRead = SHAPEFILE_PART.test(name) || SINGLE.test(name);
    if (!isRead || RESOURCE_FORK.test(name) || !isWanted(name)) return false;
    bytes += originalSize;
    if (bytes <= MOST_BYTES) return true;
    throw new FileRejected('too_large', TEXTS.file.tooLarge(fileName, formatFileSize(MOST_BYTES)));
  };
  try {
    return unzipSync(content, { filter });
  } catch (error) {
    if (error instanceof FileRejected) throw error;
    throw new FileRejected('damaged', TEXTS.file.damaged(fileName), { cause: error });
  }
}
