import type { PackFiles } from '#engine/model/pack/pack-files.ts';
import type { CogUpload } from '#engine/raster/cog/ports.ts';
import type { BatchId, JobId } from '../../identity.ts';
import type { FinishedRaster } from '../job.ts';
import type { JobSummary } from '../job-summary.ts';

/** The media type of every result: Cloud Optimized GeoTIFF (OGC 21-026). */
export const RASTER_MEDIA_TYPE = 'image/tiff; application=geotiff; profile=cloud-optimized';

/** Port to finished rasters. A raster exists only if it is complete. */
export interface FinishedRasters {
  find(batchId: BatchId, jobId: JobId): Promise<FinishedRaster | null>;
}

/** No part of a raster is visible before its upload is completed. */
export interface RasterUploads {
  begin(batchId: BatchId, jobId: JobId, summary: JobSummary | null): Promise<RasterUpload>;
}

export interface RasterUpload extends CogUpload {
  /** Needed to abort the upload. */
  readonly id: string;
}

/** Port that removes what workers left behind. */
export interface RasterCleanup {
  /** Aborts an upload, so that it can no longer be completed. Succeeds even if it was completed; the raster stays. */
  abort(batchId: BatchId, jobId: JobId, uploadId: string): Promise<void>;
  /** Succeeds even if there is no raster. */
  remove(batchId: BatchId, jobId: JobId): Promise<void>;
}

export interface ResultFiles {
  open(batchId: BatchId, jobId: JobId): { readonly files: PackFiles; readonly href: string };
}
