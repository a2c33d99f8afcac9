import { CfnOutput } from 'aws-cdk-lib';
import {
  EndpointAccessMode,
  EndpointType,
  type RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/stage-config.ts';

/**
 * TLS 1.2 or 1.3 with forward secrecy, and the same host in the request as in the handshake. By default an API accepts
 * TLS 1.0. https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html
 */
export const TLS = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
};

type Domains = NonNullable<StageConfig['domains']>;

export interface CustomDomainProps {
  readonly api: RestApi;
  readonly domain: Domains['v1'];
  /** @default no DNS record; point the host at the target in the stack's output */
  readonly zone?: Domains['hostedZone'];
}

export class CustomDomain extends Construct {
  constructor(scope: Construct, id: string, { api, domain, zone }: CustomDomainProps) {
    super(scope, id);
    const name = api.addDomainName('Domain', {
      domainName: domain.host,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      endpointType: EndpointType.REGIONAL,
      ...TLS,
    });
    new CfnOutput(this, 'Target', {
      description: `The DNS target of ${domain.host}`,
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
