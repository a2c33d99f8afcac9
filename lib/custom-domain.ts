import { CfnOutput } from 'aws-cdk-lib';
import { EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { StageConfig } from './config/stage-config.ts';

type Domains = NonNullable<StageConfig['domains']>;

export interface CustomDomainProps {
  readonly api: RestApi;
  readonly domain: Domains['v1'];
  /**
   * @default no record is made: point the host at the target that the stack's output names
   */
  readonly zone?: Domains['hostedZone'];
}

/** A host of one's own before an API; its paths begin at the root. */
export class CustomDomain extends Construct {
  constructor(scope: Construct, id: string, { api, domain, zone }: CustomDomainProps) {
    super(scope, id);
    const name = api.addDomainName('Domain', {
      domainName: domain.host,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new CfnOutput(this, 'Target', {
      description: `Where ${domain.host} must point`,
      value: name.domainNameAliasDomainName,
    });
    if (zone === undefined) return;
    new ARecord(this, 'Record', {
      zone: HostedZone.fromHostedZoneAttributes(this, 'Zone', {
        hostedZoneId: zone.id,
        zoneName: zone.name,
      }),
      recordName: domain.host,
      target: RecordTarget.fromAlias(new ApiGatewayDomain(name)),
    });
  }
}
