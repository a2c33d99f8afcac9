import {
  ACMClient,
  DescribeCertificateCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-acm';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Connection } from '../operator/stage-table.ts';
import type { Verdict } from './finding.ts';

export function listDomains({ domains }: Pick<StageConfig, 'domains'>) {
  if (domains === undefined) return [];
  return (['v1', 'v2'] as const).map((version) => ({ version, ...domains[version] }));
}

interface Certificate {
  readonly status: string;
  /** The names that the certificate is for; a name may begin with `*.`. */
  readonly names: readonly string[];
}

/**
 * Reads the certificate in the region that its ARN names. A separate check reports a certificate outside the stage's
 * region.
 */
export async function readCertificate(
  connection: Connection,
  CertificateArn: string,
): Promise<Certificate | null> {
  const region = CertificateArn.split(':')[3];
  const client = new ACMClient({ ...connection, ...(region === undefined ? {} : { region }) });
  try {
    const { Certificate = {} } = await client.send(
      new DescribeCertificateCommand({ CertificateArn }),
    );
    const { Status = 'without a status', DomainName = '', SubjectAlternativeNames } = Certificate;
    return { status: Status, names: [DomainName, ...(SubjectAlternativeNames ?? [])] };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return null;
    throw error;
  }
}

export function checkCertificate(
  { host, certificateArn: arn }: { readonly host: string; readonly certificateArn: string },
  certificate: Certificate | null,
): Verdict {
  if (certificate === null) return { verdict: 'wrong', says: `${arn} does not exist` };
  const { status, names } = certificate;
  if (status !== 'ISSUED') return { verdict: 'wrong', says: `${arn} is ${status}` };
  if (names.some((name) => coversHost(name, host))) return { verdict: 'fine', says: `for ${host}` };
  const list = [...new Set(names)].join(', ');
  return { verdict: 'wrong', says: `${arn} is for ${list}, not ${host}` };
}

/**
 * An asterisk stands for one label.
 * https://docs.aws.amazon.com/acm/latest/userguide/acm-certificate-characteristics.html
 */
function coversHost(name: string, host: string): boolean {
  const [named, wanted] = [name.toLowerCase(), host.toLowerCase()];
  return named === wanted || (named.startsWith('*.') && wanted.replace(/^[^.]+/, '*') === named);
}
