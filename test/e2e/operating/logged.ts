import {
  CloudWatchLogsClient,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { ROOT_CREDENTIALS } from '../../../local/emulator/emulator.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';

/** A line as the function wrote it, and the group it lies in. */
export interface Line {
  readonly group: string;
  readonly text: string;
  /** Its members, when it is one of ours. */
  readonly members: Readonly<Record<string, unknown>> | null;
}

/** Everything that functions have logged since then. */
export async function logged(
  { endpoint_url: endpoint, region }: Pick<ServiceDescription, 'endpoint_url' | 'region'>,
  since = new Date(0),
): Promise<readonly Line[]> {
  const client = new CloudWatchLogsClient({ endpoint, region, credentials: ROOT_CREDENTIALS });
  const lines: Line[] = [];
  for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, {})) {
    for (const { logGroupName: group = '' } of logGroups) {
      const asked = { logGroupName: group, startTime: since.getTime() };
      for await (const { events = [] } of paginateFilterLogEvents({ client }, asked)) {
        lines.push(...events.map(({ message = '' }) => lineOf(group, message.trim())));
      }
    }
  }
  client.destroy();
  return lines;
}

function lineOf(group: string, text: string): Line {
  return { group, text, members: text.startsWith('{') ? parsed(text) : null };
}

function parsed(text: string): Line['members'] {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Figures among the lines, by name: what CloudWatch would make of them. */
export function measuredIn(lines: readonly Line[]): ReadonlyMap<string, readonly Measured[]> {
  const figures = new Map<string, Measured[]>();
  for (const { members } of lines) {
    for (const name of namesOf(members)) {
      const { outcome, status, repair, charge } = members ?? {};
      const kind = outcome ?? status ?? repair ?? charge ?? null;
      figures.set(name, [...(figures.get(name) ?? []), { kind, value: Number(members?.[name]) }]);
    }
  }
  return figures;
}

export interface Measured {
  readonly kind: unknown;
  readonly value: number;
}

interface Embedded {
  readonly CloudWatchMetrics?: readonly {
    readonly Metrics: readonly { readonly Name: string }[];
  }[];
}

function namesOf(members: Line['members']): readonly string[] {
  const { CloudWatchMetrics = [] } = (members?.['_aws'] ?? {}) as Embedded;
  return CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));
}

/** What must never be logged, however it is written, and the name of it. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  'an API key': /soc_[A-Za-z0-9_-]{20}/,
  'a bearer header': /\bbearer\s+[\w-]{8}/i,
  'a signed URL': /X-Amz-(Signature|Credential|Security-Token)/i,
  'an access key': /\b(AKIA|ASIA|LSIA)[A-Z0-9]{12,}/,
  'a secret access key': /secretAccessKey|aws_secret_access_key/i,
  'a webhook secret': /webhook[_-]secret["\\]*\s*:|whsec_|\ba secret (of|that)\b/i,
  'a polygon': /"coordinates|\[\s*-?\d{1,3}\.\d+\s*,\s*-?\d{1,3}\.\d+\s*\]|\b(lon|lat)\b\W*-?\d/i,
};

/** What of that stands in these lines, with the line. */
export function forbiddenIn(lines: readonly Pick<Line, 'group' | 'text'>[]): readonly string[] {
  return lines.flatMap(({ group, text }) =>
    Object.entries(FORBIDDEN)
      .filter(([, pattern]) => pattern.test(text))
      .map(([what]) => `${what} in ${group}: ${text.slice(0, 400)}`),
  );
}
