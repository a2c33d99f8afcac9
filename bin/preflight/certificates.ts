import {
  ACMClient,
  DescribeCertificateCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-acm';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Connection } from '../operator/stage-table.ts';
import { type Attempt, ifExists, tryRead } from './attempt.ts';
import type { Verdict } from './finding.ts';

/** A certificate that the configuration names for a domain. */
export interface DomainCertificate {
  readonly of: 'v1' | 'v2' | 'results';
  readonly host: string;
  readonly arn: string;
  /** Null if it does not exist. */
  readonly certificate: Attempt<Certificate | null>;
}

export interface Certificate {
  readonly status: string;
  /** A name may begin with `*.`. */
  readonly names: readonly string[];
}

export function readCertificates(
  connection: Connection,
  { domains, results }: Pick<StageConfig, 'domains' | 'results'>,
): Promise<readonly DomainCertificate[]> {
  const configured = [
    { of: 'v1', domain: domains?.v1 },
    { of: 'v2', domain: domains?.v2 },
    { of: 'results', domain: results.domain },
  ] as const;
  return Promise.all(
    configured.flatMap(({ of, domain }) => {
      if (domain === undefined) return [];
      const { host, certificateArn: arn } = domain;
      const read = tryRead(() => readCertificate(connection, arn));
      return [read.then((certificate) => ({ of, host, arn, certificate }))];
    }),
  );
}

/** Reads it where it is: `checkRegion` reports another region than the one it must be in. */
async function readCertificate(
  connection: Connection,
  CertificateArn: string,
): Promise<Certificate | null> {
  const region = CertificateArn.split(':')[3];
  const client = new ACMClient({ ...connection, ...(region === undefined ? {} : { region }) });
  const read = client.send(new DescribeCertificateCommand({ CertificateArn }));
  const found = await ifExists(read, ResourceNotFoundException);
  if (found === null) return null;
  const { Status: status, DomainName, SubjectAlternativeNames = [] } = found.Certificate ?? {};
  if (status === undefined || DomainName === undefined) {
    throw new Error(`ACM returned no description of ${CertificateArn}`);
  }
  return { status, names: [DomainName, ...SubjectAlternativeNames] };
}

export function checkCertificate(
  { host, arn }: DomainCertificate,
  certificate: Certificate | null,
): Verdict {
  if (certificate === null) return { verdict: 'wrong', says: `${arn} does not exist` };
  const { status, names } = certificate;
  if (status !== 'ISSUED') return { verdict: 'wrong', says: `${arn} is ${status}` };
  if (names.some((name) => covers(name, host))) return { verdict: 'fine', says: `for ${host}` };
  const list = [...new Set(names)].join(', ');
  return { verdict: 'wrong', says: `${arn} is for ${list}, not ${host}` };
}

/**
 * An asterisk stands for one label.
 * https://docs.aws.amazon.com/acm/latest/userguide/acm-certificate-characteristics.html
 */
function covers(name: string, host: string): boolean {
  const [named, wanted] = [name.toLowerCase(), host.toLowerCase()];
  return named === wanted || (named.startsWith('*.') && wanted.replace(/^[^.]+/, '*') === named);
}
