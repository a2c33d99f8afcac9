import { chooseShownBand } from '#engine/model/display-range.ts';
import type { Band, Manifest } from '#engine/model/pack/manifest.ts';
import { qgisStyle } from '../../drawing/qgis-style.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { modelNotFound } from '../http/not-found.ts';
import { numberFormat } from '../http/parameters.ts';
import { violationsProblem } from '../http/problem.ts';
import { readQuery, violation } from '../http/query.ts';
import { revalidatedText } from '../http/response.ts';
import type { ModelsPorts } from './models.ts';

/** QGIS registers this media type for `.qml` files (`debian/qgis.xml` in its sources). */
const QML = 'application/x-qgis-layer-settings';

export const modelStyleDefinition = {
  operationId: 'getModelStyle',
  tag: 'Service',
  summary: 'QGIS style of a model',
  description:
    'A QGIS layer style (`.qml`) that shows one band of the model’s results in pseudo-colour, from `minimum` to `maximum` (for example from a batch’s `display_ranges`), or else over the band’s `display_range`. If `display_range` is null, QGIS stretches the colours to the values that it shows. Without a style, QGIS shows a raster with several bands as a colour composite.',
  parameters: ['model', 'band', 'minimum', 'maximum', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The style',
    headers: ['ETag', 'Cache-Control', 'Content-Disposition'],
    content: { mediaType: QML },
  },
  problems: ['model-not-found'],
} as const satisfies OperationDefinition;

export function modelStyleOperation({ catalogue }: ModelsPorts): Operation {
  return async (request) => {
    const query = readQuery(request, ['band', 'minimum', 'maximum'], {
      minimum: numberFormat(),
      maximum: numberFormat(),
    });
    const range = readRange(query);
    // Some clients encode the `@` of `id@version`.
    const model = request.pathParameter('model').replace(/%40/i, '@');
    const [pack] = (await catalogue()).listByName(model);
    if (pack === undefined) throw modelNotFound();
    const band = readBand(pack.manifest, query.band);
    return revalidatedText(request, QML, qgisStyle(pack.manifest, band, range), {
      'Content-Disposition': `attachment; filename="${pack.ref}_${band.name}.qml"`,
    });
  };
}

/** @throws Problem 400 if only one end is given, or `minimum` is not less than `maximum` */
function readRange({ minimum, maximum }: Readonly<Partial<Record<'minimum' | 'maximum', string>>>) {
  if (minimum === undefined && maximum === undefined) return;
  const [low, high] = [Number(minimum), Number(maximum)];
  if (minimum !== undefined && maximum !== undefined && low < high) return [low, high] as const;
  const rule = 'must be greater than `minimum`; send both or neither';
  throw violationsProblem('parameter-invalid', [violation('maximum', rule, maximum ?? '')]);
}

/** @throws Problem 400 if the model has no band with this name */
export function readBand(manifest: Manifest, name: string | undefined): Band {
  const band = chooseShownBand(manifest, name);
  if (band !== undefined) return band;
  const names = manifest.bands.map((known) => known.name).join(', ');
  const rule = `must be a band of ${manifest.id}: ${names}`;
  throw violationsProblem('parameter-invalid', [violation('band', rule, name ?? '')]);
}
