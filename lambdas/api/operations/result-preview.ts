import { formatUnit } from '#engine/display/unit-text.ts';
import {
  chooseDisplayRange,
  type DisplayRange,
  isOnBatchRange,
} from '#engine/model/display-range.ts';
import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type { Band, Manifest } from '#engine/model/pack/manifest.ts';
import { isFinal } from '../../domain/batch/batch.ts';
import type { ResultFiles } from '../../domain/job/finishing/rasters.ts';
import type { FinishedResult, ReadResultPorts } from '../../domain/job/reading/read-result.ts';
import { type MapTitle, resultMap } from '../../drawing/result-map.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { modelNotFound } from '../http/not-found.ts';
import { readQuery } from '../http/query.ts';
import { revalidatedSources } from '../http/response.ts';
import { readBand } from './model-style.ts';
import { ownedResult, rasterUnavailable } from './result.ts';

const SVG = 'image/svg+xml';

export const resultPreviewDefinition = {
  operationId: 'getResultPreview',
  tag: 'Batches',
  summary: 'Preview of a result',
  description:
    'A map of one band as SVG, at most 1024 pixels wide and high, with legend, scale bar and unit. Its colours span the model’s range in the batch’s `display_ranges`, so that all previews of one model in the batch can be compared. Without such a range (for example until the batch is final), and for bands other than the mean and its quantiles, they span the band’s `display_range` or, if that is null, the values in the picture.',
  parameters: ['batchId', 'jobId', 'band', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The map',
    headers: ['ETag', 'Cache-Control'],
    content: { mediaType: SVG },
  },
  problems: [
    'batch-not-found',
    'job-not-found',
    'result-not-found',
    'results-expired',
    'model-not-found',
  ],
} as const satisfies OperationDefinition;

/** If the SVG is opened as a document, it can load only its embedded picture and run no scripts. */
const CONTENT_POLICY = "default-src 'none'; img-src data:; frame-ancestors 'none'; sandbox";

/** The number of characters of average width that fit as a title into the narrowest picture. */
const TITLE_LENGTH = 56;

/** The same for a line below the title, whose text is smaller. */
const LINE_LENGTH = 88;

export interface ResultPreviewPorts extends ReadResultPorts {
  readonly catalogue: () => Promise<PackCatalogue>;
  readonly resultFiles: ResultFiles;
  /** The `ETag` depends on it, because another version may draw a result differently. */
  readonly version: string;
}

export function resultPreviewOperation(ports: ResultPreviewPorts): Operation {
  return async (request) => {
    const query = readQuery(request, ['band']);
    const result = await ownedResult(ports, request);
    const pack = (await ports.catalogue()).findMap(result.record.model.id, undefined);
    if (pack === undefined) throw modelNotFound();
    const band = readBand(pack.manifest, query.band);
    const title = composeTitle(result, pack.manifest, band);
    const range = chooseRange(result, pack.manifest, band);
    const draw = () => {
      const source = ports.resultFiles.open(result.batch.batch_id, result.jobId);
      return resultMap(source, pack.manifest, band, title, range).catch(rasterUnavailable);
    };
    const sources = [ports.version, result.record.raster_etag, band, title, range];
    return revalidatedSources(request, SVG, sources, draw, {
      'Content-Security-Policy': CONTENT_POLICY,
    });
  };
}

/** @returns null if the colours span the values of the result itself */
function chooseRange(
  { batch, record }: FinishedResult,
  manifest: Manifest,
  band: Band,
): DisplayRange | null {
  const ranges = isFinal(batch) ? (batch.display_ranges ?? []) : [];
  const ofBatch = ranges.find(({ model }) => model === record.model.id);
  return ofBatch !== undefined && isOnBatchRange(manifest, band)
    ? [ofBatch.minimum, ofBatch.maximum]
    : chooseDisplayRange(manifest, band);
}

function composeTitle(
  { record: { model }, entries, jobIndex }: FinishedResult,
  { property }: Manifest,
  { name }: Band,
): MapTitle {
  const content = `${property.name}, ${property.depth_cm.join('–')} cm, ${formatUnit(property.unit)}`;
  const years = [...new Set(model.data_period)].join('–');
  return {
    title: shortenText(entries[jobIndex]?.name ?? content, TITLE_LENGTH),
    lines: [`${content} · ${name}`, `${model.id} · data of ${years}`].map((line) =>
      shortenText(line, LINE_LENGTH),
    ),
  };
}

/** Replaces control and format characters by spaces, and shortens the text. */
function shortenText(text: string, length: number): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const characters = [...plain];
  return characters.length <= length ? plain : `${characters.slice(0, length - 1).join('')}…`;
}
