import type { BatchStatus, Job, Limits, Model, SoilClient } from 'soil-batch-client';
import type { Field, FieldFault, Polygonal } from '../fields/field.ts';
import type { SoilMap } from '../map/soil-map.ts';
import type { Route } from './routes.ts';
import type { Store } from './store.ts';

export interface Draft {
  readonly fields: readonly Field[];
  readonly selected: string | null;
  readonly year: number;
  readonly batchName: string;
  /** If null, the service chooses a model for each field. */
  readonly model: string | null;
  readonly submitted: readonly Field[];
  /** The faults that the last estimate found, by field. */
  readonly faults: ReadonlyMap<string, FieldFault>;
}

/** The range of each model's results; missing until the batch is final. */
export type DisplayRanges = BatchStatus['display_ranges'];

export type CompletedField = Pick<Job, 'job_id' | 'job_index' | 'name'>;

/** A key's client, limits and data. A new key replaces all of these, because it may be another tenant's. */
export interface KeySession {
  readonly client: SoilClient;
  readonly limits: Limits;
  /** The polygons of each batch that was submitted or shown, by job index. */
  readonly polygons: Map<string, ReadonlyMap<number, Polygonal>>;
  /** The fields with results of each final batch, once one of its results was shown. */
  readonly completed: Map<string, readonly CompletedField[]>;
  readonly displayRanges: Map<string, DisplayRanges>;
}

export interface Session extends KeySession {
  readonly baseUrl: string;
  /** The deployment's models, which are the same for every key. */
  readonly models: readonly Model[];
  readonly map: SoilMap;
  readonly draft: Store<Draft>;
  readonly go: (route: Route) => void;
}

/** A page is built when its URL is opened, and left when another URL is. */
export interface PageView {
  readonly title: string;
  readonly content: HTMLElement;
  readonly leave: () => void;
}
