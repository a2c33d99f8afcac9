import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type DescribedMetric,
  METRICS,
  NAMESPACE,
} from '../../lambdas/observability/metric-catalogue.ts';
import { isObject, type Json, toList, valueAtPath } from '../../local/json.ts';
import { synthesise } from '../support/infra/synthesised.ts';

const { ofType, text } = synthesise('prod');

const alarms = ofType('AWS::CloudWatch::Alarm');
const dashboards = ofType('AWS::CloudWatch::Dashboard').map(({ properties }) => ({
  name: text(properties['DashboardName']),
  body: JSON.parse(text(properties['DashboardBody'])) as Json,
}));

/** Writes a metric of the service as text: its name and, if any, the value of its dimension. */
const formatMetric = (name: string, value?: string) =>
  value === undefined ? name : `${name}/${value}`;

const catalogue = Object.entries<DescribedMetric>(METRICS).flatMap(([name, { values = [] }]) =>
  values.length === 0 ? [formatMetric(name)] : values.map((value) => formatMetric(name, value)),
);

describe('the metrics of the service', () => {
  it('are exactly the metrics on dashboards', () => {
    expect([...new Set(dashboards.flatMap(({ body }) => listDrawnMetrics(body)))].sort()).toEqual(
      [...catalogue].sort(),
    );
  });

  it('include every service metric that alarms watch', () => {
    const watched = alarms.flatMap(({ properties }) => listWatched(properties));
    expect(watched.length).toBeGreaterThan(5);
    for (const metric of watched) expect(catalogue).toContain(metric);
  });

  it('are exactly the metrics that the code emits', () => {
    const measured = filesOf('lambdas').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bmeasure\(\s*'(\w+)'/g)].map(([, name]) => name),
    );
    expect([...new Set(measured)].sort()).toEqual(Object.keys(METRICS).sort());
  });

  it('have at most one dimension besides the service, with few values, and never tenant or batch', () => {
    expect(catalogue.length).toBeLessThan(40);
    for (const { dimension } of Object.values<DescribedMetric>(METRICS)) {
      expect([undefined, 'outcome', 'status', 'repair']).toContain(dimension);
    }
  });
});

describe('the dashboards', () => {
  it('are a single dashboard, because AWS charges for each', () => {
    expect(dashboards.map(({ name }) => name)).toEqual(['SoilBatch-prod-Observability-operations']);
  });

  it.each(dashboards)('$name fits its widgets into rows of 24', ({ body }) => {
    const widgets = toList(valueAtPath(body, 'widgets'));
    expect(widgets.length).toBeGreaterThan(3);
    for (const widget of widgets) {
      expect(
        Number(valueAtPath(widget, 'x')) + Number(valueAtPath(widget, 'width')),
      ).toBeLessThanOrEqual(24);
    }
  });

  it('have the widgets that docs/dashboard.md explains, in the same order', () => {
    const page = readFileSync('docs/dashboard.md', 'utf8');
    const explained = [...page.matchAll(/^- \*\*(.+?):\*\* .+$/gm)].map(([, title]) => title);
    const titles = dashboards
      .flatMap(({ body }) => toList(valueAtPath(body, 'widgets')))
      .map((widget) => valueAtPath(widget, 'properties', 'title'));
    expect(explained).toEqual(titles);
  });

  it('have metrics on every graph', () => {
    const graphs = dashboards
      .flatMap(({ body }) => toList(valueAtPath(body, 'widgets')))
      .filter((widget) => valueAtPath(widget, 'type') === 'metric');
    expect(graphs.length).toBeGreaterThan(20);
    for (const graph of graphs) {
      expect(valueAtPath(graph, 'properties', 'title')).toBeTypeOf('string');
      expect(toList(valueAtPath(graph, 'properties', 'metrics')).length).toBeGreaterThan(0);
    }
  });

  it('count the throttles of every function, and the errors of every function except the authorizer', () => {
    const { functions } = synthesise('prod');
    const operations = toList(valueAtPath(dashboards[0]?.body, 'widgets'));
    for (const [title, others] of [
      // The authorizer is left out, because AWS counts each key that it rejects as an error.
      ['Function errors', -1],
      ['Throttles', 2],
    ] as const) {
      const graph = operations.find(
        (widget) => valueAtPath(widget, 'properties', 'title') === title,
      );
      expect(toList(valueAtPath(graph, 'properties', 'metrics'))).toHaveLength(
        functions.length + others,
      );
    }
  });

  it('use no detailed API Gateway metrics, and neither do alarms', () => {
    const drawn = dashboards
      .flatMap(({ body }) => toList(valueAtPath(body, 'widgets')))
      .flatMap((widget) => toList(valueAtPath(widget, 'properties', 'metrics')))
      .map((metric) => toList(metric).filter((part) => typeof part === 'string'))
      .filter(([namespace]) => namespace === 'AWS/ApiGateway')
      .map(([, , ...pairs]) => pairs.filter((_, index) => index % 2 === 0));
    const watched = alarms
      .flatMap(({ properties }) => [
        properties,
        ...toList(properties['Metrics']).map((part) => valueAtPath(part, 'MetricStat', 'Metric')),
      ])
      .filter((metric) => valueAtPath(metric, 'Namespace') === 'AWS/ApiGateway')
      .map((metric) =>
        toList(valueAtPath(metric, 'Dimensions')).map((one) => text(valueAtPath(one, 'Name'))),
      );
    expect(drawn.length).toBeGreaterThan(10);
    expect(watched.length).toBeGreaterThan(4);
    // Metrics of a whole API have only this dimension:
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
    for (const dimensions of [...drawn, ...watched]) expect(dimensions).toEqual(['ApiName']);
  });

  it('list running batches from fields in the logs', () => {
    const [widget] = toList(valueAtPath(dashboards[0]?.body, 'widgets')).filter(
      (candidate) => valueAtPath(candidate, 'type') === 'log',
    );
    const query = String(valueAtPath(widget, 'properties', 'query'));
    const documented = readFileSync('docs/logs.md', 'utf8');
    for (const field of ['event', 'since', 'tenant', 'batch_id', 'completed_jobs', 'total_jobs']) {
      expect(query).toContain(field);
      expect(documented).toContain(`\`${field}\``);
    }
    expect(query).toMatch(/^SOURCE '[^']*Reconcile/);
  });

  it('cost, with all metrics and alarms, what docs/scale-and-cost.md states for an idle stage', () => {
    // An alarm on an expression is billed for each of its metrics.
    const metrics = alarms.flatMap(({ properties }) => {
      const parts = toList(properties['Metrics']).filter((part) => valueAtPath(part, 'MetricStat'));
      return parts.length === 0 ? [properties] : parts;
    });
    const page = readFileSync('docs/scale-and-cost.md', 'utf8').replace(/\s+/g, ' ');
    expect(page).toContain(`up to ${catalogue.length} metrics `);
    // The list prices are at https://aws.amazon.com/cloudwatch/pricing/
    const watched = `${alarms.length} alarms over ${metrics.length} metrics`;
    expect(page).toMatch(new RegExp(`${watched} \\| +${(metrics.length * 0.1).toFixed(2)} \\|`));
    expect(page).toMatch(new RegExp(`a dashboard \\| +${(dashboards.length * 3).toFixed(2)} \\|`));
    const keys = ofType('AWS::KMS::Key').length;
    expect(page).toMatch(new RegExp(`four KMS keys \\| +${keys.toFixed(2)} \\|`));
    const table = /## An idle stage(.*?)## /.exec(page)?.[1] ?? '';
    const rows = [...table.matchAll(/ (\d+\.\d\d) \|/g)].map(([, sum]) => Number(sum));
    const total = Math.round(rows.reduce((sum, row) => sum + row));
    expect(rows).toHaveLength(7);
    expect(table).toContain(`About $${total} a month`);
    const withoutFirewall = total - Number(rows[0]);
    expect(table).toContain(`without firewall, $${withoutFirewall}`);
    // A dollar for each of the first two rotations: https://aws.amazon.com/kms/pricing/
    const rotated = ofType('AWS::KMS::Key').filter(
      ({ properties }) => properties['EnableKeyRotation'] === true,
    ).length;
    expect(table).toContain(`the four keys cost $${keys + 2 * rotated}`);
    expect(table).toContain(`\`dev\` $${withoutFirewall + 2 * rotated} a month`);
    // The default rule's reservoir at $5 a million traces: https://aws.amazon.com/xray/pricing/
    expect(table).toContain(`up to $${Math.round((30 * 86_400 * 5) / 1e6)} a month`);
    const aws = readFileSync('docs/aws.md', 'utf8').replace(/\s+/g, ' ');
    expect(aws).toContain(`about $${total} a month`);
    expect(aws).toContain(`$${withoutFirewall} a month`);
  });
});

function listDrawnMetrics(body: Json): readonly string[] {
  return toList(valueAtPath(body, 'widgets'))
    .flatMap((widget) => toList(valueAtPath(widget, 'properties', 'metrics')))
    .map((metric) => toList(metric).filter((part) => typeof part === 'string'))
    .filter(([namespace]) => namespace === NAMESPACE)
    .map(([, name, ...dimensions]) => formatMetric(String(name), kindAmong(dimensions)));
}

/** Returns the dimension value that is not the service's; the list alternates names and values. */
function kindAmong(dimensions: readonly Json[]): string | undefined {
  const pairs = dimensions.flatMap((name, index) =>
    index % 2 === 0 ? [[name, dimensions[index + 1]] as const] : [],
  );
  const kind = pairs.find(([name]) => name !== 'service')?.[1];
  return kind === undefined ? undefined : String(kind);
}

function listWatched(properties: Readonly<Record<string, Json>>): readonly string[] {
  const stats = [
    properties,
    ...toList(properties['Metrics']).map((m) => valueAtPath(m, 'MetricStat', 'Metric')),
  ];
  return stats.flatMap((metric) => {
    if (!isObject(metric) || metric['Namespace'] !== NAMESPACE) return [];
    const pairs = toList(metric['Dimensions']).flatMap((dimension) => [
      text(valueAtPath(dimension, 'Name')),
      text(valueAtPath(dimension, 'Value')),
    ]);
    return [formatMetric(text(metric['MetricName']), kindAmong(pairs))];
  });
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);
}
