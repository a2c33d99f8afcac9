import type { BatchStatus, Job, Limits, Model, SoilClient } from 'soil-batch-client';
import type { Field, FieldFault, Polygonal } from '../fields/field.ts';
import type { SoilMap } from '../map/soil-map.ts';
import type { Route } from './routes.ts';
import type { Store } from './store.ts';

/** What the user prepares: fields, and what applies to all of them. */
export interface Draft {
  readonly fields: readonly Field[];
  readonly selected: string | null;
  readonly year: number;
  readonly batchName: string;
  /** If it is null, the first model that covers a field predicts it. */
  readonly model: string | null;
  /** The fields when they were last submitted. */
  readonly submitted: readonly Field[];
  /** What the last estimate found wrong, by field. */
  readonly faults: ReadonlyMap<string, FieldFault>;
}

/** The range of each model's results; absent until the batch is final. */
export type DisplayRanges = BatchStatus['display_ranges'];

/** A field with a result. */
export type CompletedField = Pick<Job, 'job_id' | 'job_index' | 'name'>;

/** Everything that a page needs, from the moment a key is accepted. It ends with the page's reload. */
export interface Session {
  /** Another one once a new key is entered; pages are opened again then. */
  readonly client: SoilClient;
  /** The URL of the API. */
  readonly baseUrl: string;
  readonly models: readonly Model[];
  readonly limits: Limits;
  readonly map: SoilMap;
  readonly draft: Store<Draft>;
  /** The polygons of each batch that was shown, by the index of the job. */
  readonly polygons: Map<string, ReadonlyMap<number, Polygonal>>;
  /** The fields with results of each final batch, of which one was shown. */
  readonly completed: Map<string, readonly CompletedField[]>;
  /** The colour ranges of each final batch, once one of its results was shown. */
  readonly displayRanges: Map<string, DisplayRanges>;
  readonly go: (route: Route) => void;
}

/** A page is built when its URL is opened, and ended when another is. */
export interface PageView {
  readonly title: string;
  readonly content: HTMLElement;
  /** Ends subscriptions and requests, and removes what it drew on the map. */
  readonly leave: () => void;
}
