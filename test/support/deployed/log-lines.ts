import {
  CloudWatchLogsClient,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { ROOT_CREDENTIALS } from '../../../local/emulator/emulator.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';

export interface Line {
  readonly group: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
  /** Null unless the line is JSON. */
  readonly fields: Readonly<Record<string, unknown>> | null;
}

/** Reads the lines of all log groups since a time. */
export async function readLogLines(
  { endpoint_url: endpoint, region }: Pick<ServiceDescription, 'endpoint_url' | 'region'>,
  since = new Date(0),
): Promise<readonly Line[]> {
  const client = new CloudWatchLogsClient({ endpoint, region, credentials: ROOT_CREDENTIALS });
  const lines: Line[] = [];
  for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, {})) {
    for (const { logGroupName: group = '' } of logGroups) {
      const request = { logGroupName: group, startTime: since.getTime() };
      for await (const { events = [] } of paginateFilterLogEvents({ client }, request)) {
        lines.push(
          ...events.map(({ message = '', timestamp = 0 }) => {
            const text = message.trim();
            return { group, at: timestamp, text, fields: parseFields(text) };
          }),
        );
      }
    }
  }
  client.destroy();
  return lines;
}

function parseFields(text: string): Line['fields'] {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function collectMetrics(
  lines: readonly Line[],
): ReadonlyMap<string, readonly MetricValue[]> {
  const metrics = new Map<string, MetricValue[]>();
  for (const { fields } of lines) {
    for (const name of listMetricNames(fields)) {
      const { outcome, status, repair, charge } = fields ?? {};
      const kind = outcome ?? status ?? repair ?? charge ?? null;
      metrics.set(name, [...(metrics.get(name) ?? []), { kind, value: Number(fields?.[name]) }]);
    }
  }
  return metrics;
}

export interface MetricValue {
  readonly kind: unknown;
  readonly value: number;
}

interface Embedded {
  readonly CloudWatchMetrics?: readonly {
    readonly Metrics: readonly { readonly Name: string }[];
  }[];
}

export function listMetricNames(fields: Line['fields']): readonly string[] {
  const { CloudWatchMetrics = [] } = (fields?.['_aws'] ?? {}) as Embedded;
  return CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));
}

/** Patterns of data that must never be logged, by name. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  'an API key': /soc_[A-Za-z0-9_-]{20}/,
  'a bearer header': /\bbearer\s+[\w-]{8}/i,
  'a signed URL': /X-Amz-(Signature|Credential|Security-Token)/i,
  'an access key': /\b(AKIA|ASIA|LSIA)[A-Z0-9]{12,}/,
  'a secret access key': /secretAccessKey|aws_secret_access_key/i,
  'a webhook secret': /webhook[_-]secret["\\]*\s*:|whsec_|\ba secret (of|that)\b/i,
  'a polygon': /"coordinates|\[\s*-?\d{1,3}\.\d+\s*,\s*-?\d{1,3}\.\d+\s*\]|\b(lon|lat)\b\W*-?\d/i,
};

export function listForbidden(lines: readonly Pick<Line, 'group' | 'text'>[]): readonly string[] {
  return lines.flatMap(({ group, text }) =>
    Object.entries(FORBIDDEN)
      .filter(([, pattern]) => pattern.test(text))
      .map(([what]) => `${what} in ${group}: ${text.slice(0, 400)}`),
  );
}
