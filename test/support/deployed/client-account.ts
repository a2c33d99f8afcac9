import {
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  IAMClient,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type { ServiceDescription } from '../../../local/service-file.ts';

/** The rights that `docs/destinations.md` tells clients to give, below a prefix of their bucket. */
export function destinationPolicy(bucket: string, prefix: string) {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: ['s3:PutObject', 's3:AbortMultipartUpload'],
        Resource: `arn:aws:s3:::${bucket}/${prefix}/*`,
      },
    ],
  };
}

/** An account of a client on the emulator, whose root has the account's number as its access key. */
export function clientAccount({ endpoint_url, region }: ServiceDescription, accountId: string) {
  const credentials = { accessKeyId: accountId, secretAccessKey: 'test' };
  const options = { endpoint: endpoint_url, region, credentials };
  const iam = new IAMClient(options);
  const s3 = new S3Client({ ...options, forcePathStyle: true });
  return {
    roleArn: (name: string) => `arn:aws:iam::${accountId}:role/${name}`,
    async createRole(RoleName: string, trust: object, policy: object): Promise<string> {
      const AssumeRolePolicyDocument = JSON.stringify(trust);
      await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
      const PolicyDocument = JSON.stringify(policy);
      await iam.send(
        new PutRolePolicyCommand({ RoleName, PolicyName: 'soil-batch', PolicyDocument }),
      );
      return this.roleArn(RoleName);
    },
    async deleteRole(RoleName: string): Promise<void> {
      await iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName: 'soil-batch' }));
      await iam.send(new DeleteRoleCommand({ RoleName }));
    },
    async createBucket(Bucket: string): Promise<void> {
      await s3.send(new CreateBucketCommand({ Bucket }));
    },
    async listKeys(Bucket: string): Promise<readonly string[]> {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
      return Contents.map(({ Key = '' }) => Key).sort();
    },
    async countUploads(Bucket: string): Promise<number> {
      const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
      return Uploads.length;
    },
    async read(uri: string) {
      const { hostname: Bucket, pathname } = new URL(uri);
      const { Body, ContentType } = await s3.send(
        new GetObjectCommand({ Bucket, Key: pathname.slice(1) }),
      );
      if (Body === undefined) throw new Error(`${uri} has no body`);
      return { bytes: Buffer.from(await Body.transformToByteArray()), type: ContentType };
    },
    /** The variables with which boto3 and GDAL read the account's buckets. */
    environment: {
      AWS_ACCESS_KEY_ID: accountId,
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: region,
      AWS_ENDPOINT_URL: endpoint_url,
      AWS_S3_ENDPOINT: new URL(endpoint_url).host,
      AWS_HTTPS: 'NO',
      AWS_VIRTUAL_HOSTING: 'FALSE',
    },
  };
}
