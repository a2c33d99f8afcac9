import { GraphWidget, type HorizontalAnnotation, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';

export interface GraphOptions {
  readonly left: readonly IMetric[];
  readonly right?: readonly IMetric[];
  readonly unit?: string;
  readonly rightUnit?: string;
  readonly stacked?: boolean;
  /** Horizontal lines, for alarm thresholds and limits. */
  readonly lines?: readonly HorizontalAnnotation[];
  /** In columns; a row has 24. @default 12 */
  readonly width?: number;
}

/** A graph of the standard height. */
export function graph(title: string, options: GraphOptions): GraphWidget {
  const { left, right = [], unit, rightUnit, stacked = false, lines = [], width = 12 } = options;
  return new GraphWidget({
    title,
    left: [...left],
    right: [...right],
    width,
    height: 6,
    stacked,
    leftYAxis: { min: 0, ...(unit === undefined ? {} : { label: unit, showUnits: false }) },
    rightYAxis: {
      min: 0,
      ...(rightUnit === undefined ? {} : { label: rightUnit, showUnits: false }),
    },
    leftAnnotations: [...lines],
    liveData: true,
  });
}

/** The statistics in which durations are drawn. */
export const PERCENTILES = ['p50', 'p95', 'p99'] as const;

/** Colours of CloudWatch's palette, by meaning. */
export const COLOUR = {
  good: '#2ca02c',
  bad: '#d62728',
  warn: '#ff7f0e',
  calm: '#1f77b4',
  faint: '#7f7f7f',
} as const;
