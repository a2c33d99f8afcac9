import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  CreateBucketCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { readStageConfig } from '../../../lib/config/each-stage.ts';
import { configureClient, type Emulator } from '../../../local/emulator/emulator.ts';
import { copyLocalPacks } from '../../../local/mirror/start.ts';
import { LOCAL_FOLDER, PROJECT_FOLDER } from '../../../local/paths.ts';
import { aBox } from '../../support/box.ts';
import { aManifest, asJson } from '../../support/model/builders.ts';
import { aGeoTiff, cellsOf } from '../../support/model/geotiff-file.ts';
import { predictionsIn } from '../../support/model/predictions.ts';

/** Relative to the project's root, as in the configuration. */
export const E2E_PACKS = '.local/e2e/packs';
/** The default pack first: jobs without a model use it, as in a real deployment. */
export const PACKS = [
  ...readStageConfig('local').modelPacks,
  'network',
  'slope-in-s3',
  'openlandmap-soc',
];

/**
 * The folder of the published map: its layers, with synthetic values around some places, and its certificate.
 */
export const MAP_FOLDER = path.join(LOCAL_FOLDER, 'e2e', 'published-map');
export const MAP_FILES = path.join(MAP_FOLDER, 'files');

const BUCKET = 'soil-covariates-of-others';
const KEY = 'dem/slope.tif';

/** A field in the grid of `slope-in-s3`. The grid covers 400 m × 300 m in UTM zone 31N. */
export const FIELD = aBox(3.001, 50.5502, 3.004, 50.5512);
const coverage = aBox(3.0001, 50.5493, 3.0055, 50.5517);
/** A field across the three tiles of the network's grid. */
export const WIDE_FIELD = aBox(3.001, 50.5502, 3.02, 50.5512);

const slope = cellsOf((col) => Math.sin(col));

export function makePacks(): void {
  const folder = path.join(PROJECT_FOLDER, E2E_PACKS);
  rmSync(folder, { recursive: true, force: true });
  copyLocalPacks(E2E_PACKS);
  makeNetwork(path.join(folder, 'network'));
  makeSlopeInS3(path.join(folder, 'slope-in-s3'));
}

/** The network's prediction in every cell: all cells have the covariates of the fixture's first point. */
export const [[NETWORK_PREDICTION] = []] = predictionsIn('models/sklearn-network.json').expected;

/** Writes a pack whose stated speed is so low that each patch-batch is a separate share. */
function makeNetwork(folder: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(readFixture('models/sklearn-network.onnx'), path.join(folder, 'network.onnx'));
  const [point = []] = predictionsIn('models/sklearn-network.json').features;
  const grid = { ...aManifest().grid, width: 160 };
  const covariates = point.map((value, i) => {
    const href = `f${i}.tif`;
    const values = new Array(grid.width * grid.height).fill(value);
    writeFileSync(path.join(folder, href), aGeoTiff({ values, ...grid }));
    return { kind: 'raster' as const, name: `f${i}`, description: 'a value', unit: null, href };
  });
  const manifest = aManifest({
    id: 'network',
    grid,
    points_per_second: 100,
    coverage: aBox(3.0001, 50.5493, 3.0222, 50.5517),
    covariates,
    graph: { href: 'network.onnx', format: 'onnx', targets: 1 },
    bands: [{ name: 'mean', description: 'mean', from: { kind: 'target', index: 0 } }],
  });
  writeFileSync(path.join(folder, 'manifest.json'), asJson(manifest));
}

function makeSlopeInS3(folder: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(readFixture('onnx/forest.onnx'), path.join(folder, 'forest.onnx'));
  writeFileSync(path.join(folder, 'clay.tif'), aGeoTiff({ values: cellsOf((_, row) => row / 30) }));
  const { covariates } = aManifest();
  const manifest = aManifest({
    id: 'slope-in-s3',
    coverage,
    covariates: covariates.map((covariate) =>
      covariate.name === 'slope' && covariate.kind === 'raster'
        ? { ...covariate, href: `s3://${BUCKET}/${KEY}` }
        : covariate,
    ),
  });
  writeFileSync(path.join(folder, 'manifest.json'), asJson(manifest));
}

const readFixture = (name: string): string => path.join(PROJECT_FOLDER, 'test/fixtures', name);

/** Connects to the bucket with the slope as its owner, the emulator's root user. */
export function connectToSlopeBucket(emulator: Pick<Emulator, 'endpointUrl' | 'region'>) {
  const client = new S3Client({ ...configureClient(emulator), forcePathStyle: true });
  const object = { Bucket: BUCKET, Key: KEY };
  const denial = {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Deny',
        Principal: '*',
        Action: 's3:GetObject',
        Resource: `arn:aws:s3:::${BUCKET}/*`,
      },
    ],
  };
  return {
    createBucket: () => client.send(new CreateBucketCommand({ Bucket: BUCKET })),
    put: () => client.send(new PutObjectCommand({ ...object, Body: aGeoTiff({ values: slope }) })),
    remove: () => client.send(new DeleteObjectCommand(object)),
    forbid: () =>
      client.send(new PutBucketPolicyCommand({ Bucket: BUCKET, Policy: JSON.stringify(denial) })),
    allow: () => client.send(new DeleteBucketPolicyCommand({ Bucket: BUCKET })),
    close: () => client.destroy(),
  };
}
