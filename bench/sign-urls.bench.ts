import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { urlPresigner } from '../lambdas/adapters/s3/presigned-url.ts';
import { jobIdOf } from '../lambdas/domain/identity.ts';
import type { Bench, BenchReport } from './bench.ts';
import { cpuMs, median } from './own-use.ts';

const URLS = 1_000;
const ROUNDS = 7;
const BATCH = '0195f1de-7a3c-7c1e-9b53-3f9f6a1f2b70';
const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' };
const at = new Date('2026-03-01T12:00:00Z');
const REGION = 'eu-central-1';
const keys = Array.from({ length: URLS }, (_, index) => ({
  key: `results/${BATCH}/${jobIdOf(BATCH, index)}.tif`,
  disposition: `attachment; filename="${BATCH}_${jobIdOf(BATCH, index)}.tif"`,
}));

/** Includes the creation of the signer, as in the first status of an execution environment. */
export function signedUrls(): Promise<readonly string[]> {
  process.env['AWS_REGION'] = REGION;
  delete process.env['AWS_ENDPOINT_URL'];
  delete process.env['AWS_ENDPOINT_URL_S3'];
  const sign = urlPresigner('results', credentials);
  return Promise.all(
    keys.map(({ key, disposition }) =>
      sign(key, {
        at,
        expiresInSeconds: 86_400,
        query: { 'response-content-disposition': disposition },
      }),
    ),
  );
}

function signedFromCommands(): Promise<readonly string[]> {
  const client = new S3Client({
    region: REGION,
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

export const bench: Bench = {
  title: 'signed URLs of a status of 1,000 jobs, from plain requests and from commands',
  async run(): Promise<BenchReport> {
    const plain = await signedUrls();
    const same = (await signedFromCommands()).every((url, index) => url === plain[index]);
    if (!same) throw new Error('the URLs of both functions differ');
    const sides = { commands: [] as number[], plain: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      sides.commands.push(await cpuMs(signedFromCommands));
      sides.plain.push(await cpuMs(signedUrls));
    }
    const [commands, ours] = [median(sides.commands), median(sides.plain)];
    return {
      columns: ['function', 'CPU ms', '÷ getSignedUrl'],
      rows: [
        ['getSignedUrl, from commands', commands.toFixed(1), ''],
        ['S3RequestPresigner, from plain requests', ours.toFixed(1), (ours / commands).toFixed(2)],
      ],
      notes: [
        `CPU time of ${URLS} URLs, median of ${ROUNDS} rounds; both give the same bytes. The functions use the second. Goal: ≤ 100 ms.`,
      ],
      versions: {},
    };
  },
};
