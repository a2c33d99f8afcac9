import { qgisStyle } from '#engine/model/display/qgis-style.ts';
import { readBand } from '../../contract/band-parameter.ts';
import { readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { modelNotFound } from '../../http/not-found.ts';
import { revalidatedText } from '../../http/response.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import type { ModelsPorts } from './models.ts';

/** QGIS registers this media type for `.qml` files (`debian/qgis.xml` of its sources). */
const QML = 'application/x-qgis-layer-settings';

export function modelStyleOperation({ catalogue }: ModelsPorts): Operation {
  return async (request) => {
    const query = readQuery(request, ['band']);
    const pack = (await catalogue()).find(modelIn(request.pathParameter('model')));
    if (pack === undefined) throw modelNotFound();
    const band = readBand(pack.manifest, query.band);
    return revalidatedText(request, QML, qgisStyle(pack.manifest, band), {
      'Content-Disposition': `attachment; filename="${pack.ref}_${band.name}.qml"`,
    });
  };
}

/** Some clients encode the `@` of `id@version`. */
function modelIn(text: string): string {
  return text.replace(/%40/i, '@');
}

export const modelStyleSpecification: OperationSpecification = {
  tag: 'Service',
  summary: 'QGIS style of a model',
  description:
    'A QGIS layer style (`.qml`) that shows one band of the model’s results in pseudo-colour, on the band’s `display_range`. QGIS itself shows a raster with several bands as a colour composite.',
  parameters: ['model', 'band', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The style',
    headers: ['ETag', 'Cache-Control', 'Content-Disposition'],
    content: { mediaType: QML },
  },
  problems: ['model-not-found'],
};
