import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { bucketAddress, objectSigner } from '../lambdas/adapters/s3/presigned-url.ts';
import { jobIdOf } from '../lambdas/domain/identity.ts';

// What a status of 1,000 finished jobs costs in signatures: CPU time of the SDK's presigner and of
// ours, in one process, in turns. Run: npx tsx bench/sign-urls.ts

const URLS = 1_000;
const ROUNDS = 7;
const BATCH = '0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b70';
const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' };
const at = new Date('2026-03-01T12:00:00Z');
const keys = Array.from({ length: URLS }, (_, index) => ({
  key: `results/${BATCH}/${jobIdOf(BATCH, index)}.tif`,
  disposition: `attachment; filename="${BATCH}_${jobIdOf(BATCH, index)}.tif"`,
}));

process.env['AWS_REGION'] = 'eu-central-1';
delete process.env['AWS_ENDPOINT_URL'];
delete process.env['AWS_ENDPOINT_URL_S3'];

/** A container's first status builds its signer, so each round does. */
function signByOurs(): readonly string[] {
  const sign = objectSigner(bucketAddress('results'), credentials);
  return keys.map(({ key, disposition }) =>
    sign(key, {
      at,
      expiresInSeconds: 86_400,
      query: { 'response-content-disposition': disposition },
    }),
  );
}

function signBySdk(): Promise<readonly string[]> {
  const client = new S3Client({
    credentials,
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  return Promise.all(
    keys.map(({ key, disposition }) =>
      getSignedUrl(
        client,
        new GetObjectCommand({
          Bucket: 'results',
          Key: key,
          ResponseContentDisposition: disposition,
        }),
        { expiresIn: 86_400, signingDate: at },
      ),
    ),
  );
}

async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function main(): Promise<void> {
  const expected = signByOurs();
  const same = (await signBySdk()).every((url, index) => url === expected[index]);
  if (!same) throw new Error('the two signers disagree');
  const ours: number[] = [];
  const sdk: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    sdk.push(await cpuMs(signBySdk));
    ours.push(await cpuMs(signByOurs));
  }
  const shown = (name: string, values: readonly number[]) =>
    console.log(
      `${name}  ${median(values).toFixed(1)} ms CPU for ${URLS} URLs (median of ${ROUNDS})`,
    );
  shown('SDK ', sdk);
  shown('ours', ours);
  console.log(`SDK : ours = ${(median(sdk) / median(ours)).toFixed(1)} : 1`);
}

await main();
