import { S3Client } from '@aws-sdk/client-s3';
import { httpFiles } from '../lambdas/adapters/packs/http-files.ts';
import { s3Files } from '../lambdas/adapters/packs/s3-files.ts';
import type { Addresses } from '../lambdas/model/pack/pack-addresses.ts';
import type { PackFiles } from '../lambdas/model/pack/pack-files.ts';

/** Covariates at addresses, as whoever deploys can read them. */
export function covariateAddresses(): Addresses {
  let made: PackFiles | undefined;
  // Most packs name no object of S3: then no client is made, which would warn of old Node versions.
  const s3 = (): PackFiles => {
    made ??= s3Files(new S3Client({ followRegionRedirects: true }));
    return made;
  };
  return {
    https: httpFiles(),
    s3: {
      read: (href) => s3().read(href),
      readRange: (href, offset, length) => s3().readRange(href, offset, length),
      size: (href) => s3().size(href),
    },
  };
}
