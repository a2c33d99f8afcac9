import { S3Client } from '@aws-sdk/client-s3';
import { httpFiles } from '../lambdas/adapters/packs/http-files.ts';
import { s3Files } from '../lambdas/adapters/packs/s3-files.ts';
import type { Addresses } from '../lambdas/model/pack/pack-addresses.ts';

/** Covariates at addresses, as whoever deploys can read them. */
export function covariateAddresses(): Addresses {
  return { https: httpFiles(), s3: s3Files(new S3Client({ followRegionRedirects: true })) };
}
