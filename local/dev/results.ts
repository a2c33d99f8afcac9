import type { IncomingMessage, ServerResponse } from 'node:http';
import { RESULT_EXPOSED_HEADERS } from '../../lambdas/api/http/headers.ts';
import { RASTER_MEDIA_TYPE } from '../../lambdas/domain/job/finishing/rasters.ts';
import { computeEtag, type RasterFiles } from '../in-memory/rasters.ts';

const RESULT = /^\/results\/([^/]+)\/([^/]+)\.tif$/;

/**
 * Serves a finished raster like S3, completely or one range (RFC 9110, section 14), so that GDAL can read it through
 * `/vsicurl/`.
 * @returns whether the path is that of a result
 */
export function serveResult(
  rasters: Pick<RasterFiles, 'read'>,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { pathname, searchParams } = new URL(`http://localhost${request.url ?? '/'}`);
  const [, batchId, jobId] = RESULT.exec(pathname) ?? [];
  if (batchId === undefined || jobId === undefined) return false;
  const raster = rasters.read(batchId, jobId);
  if (raster === undefined) return end(response, 404);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return end(response, 405);
  }
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', RESULT_EXPOSED_HEADERS.join(', '));
  response.setHeader('Accept-Ranges', 'bytes');
  const range = parseRange(request.headers.range, raster.length);
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${raster.length}`);
    return end(response, 416);
  }
  const { first, last } = range ?? { first: 0, last: raster.length - 1 };
  if (range !== null) {
    response.setHeader('Content-Range', `bytes ${first}-${last}/${raster.length}`);
  }
  response.setHeader('ETag', computeEtag(raster));
  response.setHeader('Content-Type', RASTER_MEDIA_TYPE);
  const disposition = searchParams.get('response-content-disposition') ?? '';
  const named = /^attachment; filename="[\w.-]+"$/.test(disposition);
  response.setHeader('Content-Disposition', named ? disposition : 'attachment');
  response.setHeader('Content-Length', last + 1 - first);
  response.writeHead(range === null ? 200 : 206);
  response.end(request.method === 'HEAD' ? undefined : raster.subarray(first, last + 1));
  return true;
}

function end(response: ServerResponse, status: number): true {
  response.writeHead(status).end();
  return true;
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Parses the header; null (the whole file) unless it is a single valid range of bytes. */
function parseRange(header: string | undefined, length: number): Range | 'unsatisfiable' | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return null;
  if (from !== '' && to !== '' && Number(from) > Number(to)) return null;
  const first = from === '' ? Math.max(length - Number(to), 0) : Number(from);
  const last = from === '' || to === '' ? length - 1 : Math.min(Number(to), length - 1);
  return first > last ? 'unsatisfiable' : { first, last };
}
