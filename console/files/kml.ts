import { type KmlLayer, readKml } from '../../cli/src/fields/rules/kml.ts';
import { KmlError } from '../../cli/src/fields/rules/placemark.ts';
import { TEXTS } from '../texts.ts';
import {
  type Choice,
  chosenLayer,
  FileRejected,
  fieldsAmong,
  type ReadFile,
} from './file-fields.ts';
import { MOST_FIELDS, MOST_VERTICES } from './limits.ts';

const LIMITS = { features: MOST_FIELDS, positions: MOST_VERTICES };

/** KML, whose coordinates are always in WGS 84. @throws FileRejected */
export function readKmlFile(fileName: string, content: Uint8Array, choice: Choice): ReadFile {
  const { features } = chosenLayer(fileName, layersOf(fileName, content), choice);
  return fieldsAmong(
    features.map(({ geometry, properties }) => ({ geometry, attributes: properties })),
    (polygon) => polygon,
  );
}

function layersOf(fileName: string, content: Uint8Array): readonly KmlLayer[] {
  try {
    return readKml(content, LIMITS);
  } catch (error) {
    if (!(error instanceof KmlError)) throw error;
    throw new FileRejected(TEXTS.file.noKml(fileName, error.message), { cause: error });
  }
}
