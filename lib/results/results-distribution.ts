import { ArnFormat, Aws, Duration, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  CacheQueryStringBehavior,
  CfnPublicKey,
  Distribution,
  HeadersFrameOption,
  HttpVersion,
  KeyGroup,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/stage-config.ts';
import type { Storage } from '../storage.ts';
import { RESULT_EXPOSED_HEADERS } from './results-cors.ts';
import { UNUSED_PUBLIC_KEY } from './unused-public-key.ts';

export interface ResultsDistributionProps {
  readonly config: StageConfig;
  readonly storage: Storage;
}

/** How long edges keep a result. Every request's signature is verified, so no URL outlives its 24 hours. */
const CACHED = Duration.hours(1);

const CLOUDFRONT = new ServicePrincipal('cloudfront.amazonaws.com');

/**
 * Serves results by URLs that are signed with a key of a key group, where IAM users are not allowed. The keys
 * are made at run time, and end with the stateless stack. So nothing here is retained on deletion.
 */
export class ResultsDistribution extends Construct {
  /** Of the results' URLs. */
  readonly origin: string;
  /** Its own domain, to which the DNS record of a custom one points. */
  readonly target: string;
  readonly keyGroupId: string;
  readonly unusedKeyId: string;

  constructor(scope: Construct, id: string, { config, storage }: ResultsDistributionProps) {
    super(scope, id);
    const unusedName = this.named('unused');
    const unused = new CfnPublicKey(this, 'UnusedKey', {
      publicKeyConfig: {
        name: unusedName,
        callerReference: unusedName,
        comment: 'In the key group until the first signing key; nobody can sign with it',
        encodedKey: UNUSED_PUBLIC_KEY,
      },
    });
    const keyGroup = new KeyGroup(this, 'KeyGroup', {
      keyGroupName: this.named('signers'),
      comment: 'Functions add and remove the keys that sign results',
      items: [unused],
    });
    const access = new S3OriginAccessControl(this, 'Access', {
      originAccessControlName: this.named('access'),
    });
    const { bucketName, bucketRegionalDomainName } = storage.resultsBucket;
    const named = { bucketName, bucketRegionalDomainName };
    const bucket = Bucket.fromBucketAttributes(this, 'Bucket', named);
    const { domain, webAclArn } = config.results;
    const distribution = new Distribution(this, 'Distribution', {
      comment: `Soil Batch ${config.stage}: results`,
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(webAclArn === undefined ? {} : { webAclId: webAclArn }),
      // With its own domain and certificate CloudFront also accepts TLS 1.0.
      ...(domain === undefined
        ? {}
        : {
            domainNames: [domain.host],
            minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
            certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
          }),
      defaultBehavior: {
        // Not with the CDK's grants: they open the whole bucket, and so the errors in `totals/`.
        origin: S3BucketOrigin.withBucketDefaults(bucket, {
          originAccessControlId: access.originAccessControlId,
        }),
        trustedKeyGroups: [keyGroup],
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        allowedMethods: AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
        cachePolicy: this.cachePolicy(),
        originRequestPolicy: OriginRequestPolicy.CORS_S3_ORIGIN,
        responseHeadersPolicy: this.responseHeaders(),
        // Readers ask for ranges of the bytes as they are stored.
        compress: false,
      },
    });
    this.target = distribution.distributionDomainName;
    this.origin = `https://${domain?.host ?? this.target}`;
    this.keyGroupId = keyGroup.keyGroupId;
    this.unusedKeyId = unused.ref;
    this.letRead(distribution, storage);
  }

  /** Names are unique in an account, in all Regions together. */
  private named(part: string): string {
    return `${Stack.of(this).stackName}-${Aws.REGION}-${part}`;
  }

  private cachePolicy(): CachePolicy {
    return new CachePolicy(this, 'Cache', {
      cachePolicyName: this.named('cache'),
      minTtl: Duration.seconds(0),
      defaultTtl: CACHED,
      maxTtl: CACHED,
      // Forwarded to S3, which names the download by it.
      queryStringBehavior: CacheQueryStringBehavior.allowList('response-content-disposition'),
    });
  }

  /** As the bucket's CORS, but also for responses from a cache that were first requested without an origin. */
  private responseHeaders(): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: this.named('headers'),
      corsBehavior: {
        accessControlAllowCredentials: false,
        accessControlAllowOrigins: ['*'],
        accessControlAllowMethods: ['GET', 'HEAD'],
        accessControlAllowHeaders: ['*'],
        accessControlExposeHeaders: [...RESULT_EXPOSED_HEADERS],
        accessControlMaxAge: Duration.hours(1),
        originOverride: true,
      },
      securityHeadersBehavior: {
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override: true },
      },
    });
  }

  private letRead({ distributionArn }: Distribution, { resultsBucket, resultsKey }: Storage): void {
    const ofThis = { StringEquals: { 'aws:SourceArn': distributionArn } };
    resultsBucket.addToResourcePolicy(
      new PolicyStatement({
        principals: [CLOUDFRONT],
        actions: ['s3:GetObject'],
        resources: [resultsBucket.arnForObjects('results/*')],
        conditions: ofThis,
      }),
    );
    // Without it a missing object is 403, like a signature by a key that CloudFront does not know yet.
    resultsBucket.addToResourcePolicy(
      new PolicyStatement({
        principals: [CLOUDFRONT],
        actions: ['s3:ListBucket'],
        resources: [resultsBucket.bucketArn],
        conditions: ofThis,
      }),
    );
    // The bucket needs its key, and the distribution its bucket, so the key cannot name the distribution. It
    // encrypts nothing but results:
    // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-restricting-access-to-s3.html
    const ofThisAccount = Stack.of(this).formatArn({
      service: 'cloudfront',
      region: '',
      resource: 'distribution',
      resourceName: '*',
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
    resultsKey.addToResourcePolicy(
      new PolicyStatement({
        principals: [CLOUDFRONT],
        actions: ['kms:Decrypt'],
        resources: ['*'],
        conditions: { ArnLike: { 'aws:SourceArn': ofThisAccount } },
      }),
    );
  }
}
