import type { PackCatalogue } from '#engine/model/pack/catalogue.ts';
import type {
  ClientBuckets,
  DestinationCheck,
} from '../../lambdas/domain/destination/destination.ts';
import { resultDocuments } from '../../lambdas/results/result-documents.ts';
import { inMemoryResultFiles, type RasterFiles } from './rasters.ts';

export interface ClientFiles extends ClientBuckets, DestinationCheck {
  /** The copied files by URI. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Every destination is accepted. */
function inMemoryClientBuckets(): ClientFiles {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    checkDestination: async () => null,
    open: async ({ bucket }) => ({
      async write({ key, size, read }) {
        files.set(`s3://${bucket}/${key}`, (await read(0, size)).slice());
      },
    }),
  };
}

export function inMemoryCopies(catalogue: PackCatalogue, rasters: Pick<RasterFiles, 'read'>) {
  const clientBuckets = inMemoryClientBuckets();
  const resultFiles = inMemoryResultFiles(rasters.read);
  return {
    clientBuckets,
    destinationCheck: clientBuckets,
    resultFiles,
    documents: resultDocuments({ catalogue: async () => catalogue, resultFiles }),
  };
}
