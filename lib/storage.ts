import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  HttpMethods,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { RESULT_EXPOSED_HEADERS } from '../lambdas/api/http/headers.ts';
import { WORK_DAYS } from '../lambdas/domain/limits.ts';
import type { StageConfig } from './config/stage-config.ts';
import { INDEXES } from './table-indexes.ts';

export interface StorageProps {
  readonly config: StageConfig;
}

export class Storage extends Construct {
  readonly table: Table;
  /** Requests, blocks of patch-batches and webhook bodies, which clients never read. */
  readonly workBucket: Bucket;
  /** Finished rasters, which clients read through signed URLs, and the prediction errors of finished batches. */
  readonly resultsBucket: Bucket;
  /** Encrypts the table, the work bucket and the secrets at rest. */
  readonly dataKey: Key;
  /**
   * Encrypts the results bucket with a separate key, so that the signing user, which may read results, cannot decrypt
   * anything else.
   */
  readonly resultsKey: Key;
  /** Encrypts webhook secrets in items with a separate key, so that only few functions can decrypt them. */
  readonly webhookKey: Key;

  constructor(scope: Construct, id: string, { config }: StorageProps) {
    super(scope, id);
    const removalPolicy = toRemovalPolicy(config);
    const createKmsKey = (keyId: string, purpose: string) =>
      new Key(this, keyId, {
        description: `Soil Batch: ${purpose}`,
        enableKeyRotation: true,
        removalPolicy,
      });

    this.dataKey = createKmsKey('DataKey', 'table, work bucket and secrets at rest');
    this.resultsKey = createKmsKey('ResultsKey', 'results at rest');
    this.webhookKey = createKmsKey(
      'WebhookKey',
      'webhook secrets, under the context of their tenant and batch',
    );

    const data = { encryptionKey: this.dataKey, removalPolicy };
    const results = { encryptionKey: this.resultsKey, removalPolicy };
    this.table = createStateTable(this, config, data);
    // Objects outlive their batches, so that a URL signed on the last day is valid for 24 hours.
    const readable = Duration.days(config.retentionDays + 2);
    this.workBucket = createWorkBucket(this, data, readable);
    this.resultsBucket = createResultsBucket(this, results, readable);
  }
}

/**
 * Returns the configured removal policy of resources that hold data. If the creation of a resource fails, the rollback
 * deletes it under either policy.
 */
export function toRemovalPolicy({ removalPolicy }: StageConfig): RemovalPolicy {
  return removalPolicy === 'retain'
    ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    : RemovalPolicy.DESTROY;
}

type DataProtection = Required<Pick<BucketProps, 'encryptionKey' | 'removalPolicy'>>;

function createStateTable(
  scope: Construct,
  config: StageConfig,
  protection: DataProtection,
): Table {
  const ceiling = {
    maxReadRequestUnits: config.table.readUnits,
    maxWriteRequestUnits: config.table.writeUnits,
  };
  const table = new Table(scope, 'Table', {
    ...protection,
    ...ceiling,
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: TableEncryption.CUSTOMER_MANAGED,
    timeToLiveAttribute: 'expires_at',
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: config.pointInTimeRecovery },
    deletionProtection: config.deletionProtection,
  });
  for (const [indexName, { partition, sort }] of Object.entries(INDEXES)) {
    table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: { name: partition, type: AttributeType.STRING },
      sortKey: { name: sort, type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
      ...ceiling,
    });
  }
  return table;
}

const PRIVATE = {
  encryption: BucketEncryption.KMS,
  bucketKeyEnabled: true,
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  enforceSSL: true,
  minimumTLSVersion: 1.2,
} as const satisfies BucketProps;

function createWorkBucket(
  scope: Construct,
  protection: DataProtection,
  readable: Duration,
): Bucket {
  return new Bucket(scope, 'WorkBucket', {
    ...PRIVATE,
    ...protection,
    lifecycleRules: [
      expireObjects('requests/', readable),
      expireObjects('work/', Duration.days(WORK_DAYS)),
      // Bodies contain URLs that are valid for 24 hours; the last attempt ends within half an hour of the first.
      expireObjects('deliveries/', Duration.days(2)),
      ABORT_MULTIPART,
    ],
  });
}

function createResultsBucket(
  scope: Construct,
  protection: DataProtection,
  readable: Duration,
): Bucket {
  return new Bucket(scope, 'ResultsBucket', {
    ...PRIVATE,
    ...protection,
    lifecycleRules: [
      expireObjects('results/', readable),
      expireObjects('totals/', readable),
      ABORT_MULTIPART,
    ],
    // A signed URL is the only permission that is needed, so any page that has one may read the raster.
    cors: [
      {
        allowedMethods: [HttpMethods.GET, HttpMethods.HEAD],
        allowedOrigins: ['*'],
        allowedHeaders: ['*'],
        exposedHeaders: [...RESULT_EXPOSED_HEADERS],
        maxAge: 3_600,
      },
    ],
  });
}

const ABORT_MULTIPART: LifecycleRule = {
  id: 'abandoned-uploads',
  abortIncompleteMultipartUploadAfter: Duration.days(1),
};

function expireObjects(prefix: string, expiration: Duration): LifecycleRule {
  return { id: prefix.replace('/', ''), prefix, expiration };
}
