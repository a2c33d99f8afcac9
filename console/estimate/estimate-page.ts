import {
  type Batch,
  type Estimate,
  type Limits,
  type Model,
  type NewBatch,
  SoilError,
} from 'soil-batch-client';
import { button, type Child, fill, h } from '../element.ts';
import { factList } from '../facts.ts';
import { makeShapes } from '../fields/draft.ts';
import type { Attributes, Field, FieldFault, Polygonal } from '../fields/field.ts';
import { fieldLayer } from '../map/field-layer.ts';
import { formatCount, formatDollars, formatDurationRange, formatHectares } from '../numbers.ts';
import { explainError } from '../state/messages.ts';
import { formatAddress } from '../state/routes.ts';
import type { Draft, PageView, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import { quotaBar } from './quota-bar.ts';
import { findSubmission } from './submissions.ts';

export async function estimatePage(session: Session): Promise<PageView> {
  const { draft, client } = session;
  const { fields } = draft.get();
  const request = makeRequest(draft.get(), session.limits);
  // The same body keeps its idempotency key until its batch is known, so submitting it twice creates one batch.
  const body = JSON.stringify(request);
  const { earlier, record } = await findSubmission(session.baseUrl, body);
  const idempotencyKey = earlier?.batchId === null ? earlier.idempotencyKey : crypto.randomUUID();
  const layer = fieldLayer(session.map, (id) => draft.change((now) => ({ ...now, selected: id })));
  const earlierBatch = h('div', { role: 'status' });
  const result = h('div', { 'aria-live': 'polite' }, h('p', {}, TEXTS.estimate.waiting));
  const error = h('p', { class: 'error', role: 'alert' });
  const abort = new AbortController();
  const { signal } = abort;

  const submit = async (pressed: HTMLButtonElement) => {
    pressed.disabled = true;
    fill(error);
    try {
      record({ idempotencyKey, batchId: null });
      const { batch_id: batchId } = await client.createBatch(body, { idempotencyKey });
      record({ idempotencyKey, batchId });
      draft.change((now) => ({ ...now, submitted: fields }));
      session.polygons.set(batchId, indexPolygons(fields));
      // A user who has left this page finds the batch in the list of batches.
      if (!signal.aborted) session.go({ page: 'batch', batchId });
    } catch (reason) {
      fill(error, explainError(reason));
      pressed.disabled = false;
    }
  };

  const showEarlier = async () => {
    const id = earlier?.batchId ?? null;
    if (id === null || !(await hasBatch(client.batch(id), signal))) return;
    fill(earlierBatch, buildResubmissionWarning(id));
  };
  const estimate = async () => {
    if (request.jobs.length === 0) return fill(result, h('p', {}, TEXTS.fields.none));
    try {
      // Show the warning before the button that would submit the fields again, or together with it.
      const [estimated] = await Promise.all([client.estimate(request, { signal }), showEarlier()]);
      draft.change((now) => ({ ...now, faults: findFaults(estimated, fields) }));
      fill(result, buildTotals(estimated, session, submit));
    } catch (reason) {
      if (signal.aborted) return;
      fill(result);
      fill(error, explainError(reason));
    }
  };
  estimate();

  const unwatch = draft.watch((now) => layer.show(makeShapes(now), now.selected));
  const content = h(
    'div',
    {},
    h('h1', {}, TEXTS.estimate.title),
    earlierBatch,
    result,
    error,
    h('p', {}, h('a', { href: '#/fields' }, TEXTS.estimate.back)),
  );
  return {
    title: TEXTS.estimate.title,
    content,
    leave() {
      abort.abort();
      unwatch();
      layer.remove();
    },
  };
}

/** A submitted batch may have expired, or belong to the tenant whose key this tab had before. */
async function hasBatch(batch: Batch, signal: AbortSignal): Promise<boolean> {
  try {
    await batch.status({ signal });
    return true;
  } catch (reason) {
    return !(reason instanceof SoilError && reason.type === 'batch-not-found');
  }
}

function buildResubmissionWarning(batchId: string): HTMLElement {
  const href = formatAddress({ page: 'batch', batchId });
  return h('p', {}, TEXTS.estimate.submitted, ' ', h('a', { href }, TEXTS.estimate.open));
}

function buildTotals(
  estimate: Estimate,
  { draft, models }: Session,
  submit: (pressed: HTMLButtonElement) => void,
): readonly Child[] {
  const { fields, year, batchName } = draft.get();
  const name = batchName.trim();
  const { quota, expected_duration: time, expected_cost: cost } = estimate;
  const refusal = explainRefusal(estimate);
  const pressed: HTMLButtonElement = button(
    TEXTS.estimate.submit(estimate.total_jobs),
    () => submit(pressed),
    { class: 'main', 'aria-describedby': 'refusal' },
  );
  pressed.disabled = refusal !== null;
  return [
    factList([
      [TEXTS.estimate.batchName, name === '' ? null : h('bdi', {}, name)],
      [TEXTS.estimate.model, buildModels(estimate, models)],
      [TEXTS.estimate.year, year],
      [TEXTS.estimate.area, formatHectares(estimate.hectares)],
      [TEXTS.estimate.cost, cost === null ? TEXTS.unknown : formatDollars(cost.usd)],
      [
        TEXTS.estimate.time,
        time === null ? TEXTS.unknown : formatDurationRange(time.min_seconds, time.max_seconds),
      ],
    ]),
    h('h2', {}, TEXTS.estimate.quota),
    quotaBar(TEXTS.estimate.jobs, quota.jobs, (jobs) => formatCount(jobs, 'job')),
    quotaBar(TEXTS.estimate.area, quota.hectares, formatHectares),
    buildFailures(estimate, fields),
    buildWarnings(estimate),
    h('p', { id: 'refusal', class: 'error' }, refusal),
    pressed,
  ];
}

function buildModels({ jobs }: Estimate, models: readonly Model[]): Child {
  const used = [...new Set(jobs.map(({ model }) => model))].filter((model) => model !== null);
  if (used.length === 0) return null;
  const findTitle = (id: string) => models.find(({ model }) => model === id)?.title ?? null;
  const about = (id: string) => h('div', {}, findTitle(id), ' ', h('span', { class: 'muted' }, id));
  return used.map(about);
}

function explainRefusal({ quota, total_jobs, failing_jobs }: Estimate): string | null {
  if (!quota.fits) return TEXTS.estimate.overQuota(new Date(quota.resets_at));
  return failing_jobs === total_jobs ? TEXTS.estimate.allFail : null;
}

const NAMED_FIELDS = 3;

function buildFailures({ jobs }: Estimate, fields: readonly Field[]): HTMLElement {
  const reasons = groupFieldsByText(jobs, ({ error_message }) =>
    error_message === null ? [] : [error_message],
  );
  const unseen = h('p', { class: 'muted' }, TEXTS.estimate.unseen);
  if (reasons.size === 0) return h('div', {}, h('p', {}, TEXTS.estimate.noneFail), unseen);
  const failing = [...reasons.values()].flat().length;
  const items = [...reasons]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([reason, of]) => {
      const names = of
        .slice(0, NAMED_FIELDS)
        .flatMap((index, at) => [at === 0 ? '' : ', ', h('bdi', {}, fields[index]?.name ?? '')]);
      const others = of.length - NAMED_FIELDS;
      return h('li', {}, names, others > 0 ? TEXTS.estimate.others(others) : null, `: ${reason}`);
    });
  return h('div', {}, h('h2', {}, TEXTS.estimate.fail(failing)), h('ul', {}, ...items), unseen);
}

function findFaults({ jobs }: Estimate, fields: readonly Field[]): ReadonlyMap<string, FieldFault> {
  return new Map(
    jobs.flatMap(({ job_index, error_message, error_location }) => {
      const field = fields[job_index];
      if (field === undefined || error_message === null) return [];
      const { lon, lat } = error_location ?? {};
      const place = lon === undefined || lat === undefined ? null : { lon, lat };
      return [[field.id, { message: error_message, place }] as const];
    }),
  );
}

function indexPolygons(fields: readonly Field[]): ReadonlyMap<number, Polygonal> {
  return new Map(
    fields.flatMap(({ polygon }, at) => (polygon === null ? [] : [[at, polygon] as const])),
  );
}

const WITHOUT_GEOMETRY = { type: 'Feature', properties: null, geometry: null } as const;

/** A missing or malformed geometry is sent, too: the service fails the job and says why. */
function choosePolygon({ polygon, malformed }: Field): NewBatch['jobs'][number]['polygon'] {
  return polygon ?? (malformed === undefined ? WITHOUT_GEOMETRY : Object(malformed));
}

/** Estimates and faults refer to a field by its index. */
function makeRequest({ fields, year, batchName, model }: Draft, limits: Limits): NewBatch {
  const name = batchName.trim();
  return {
    ...(name === '' ? {} : { name }),
    ...(model === null ? {} : { model }),
    jobs: fields.map((field) => ({
      polygon: choosePolygon(field),
      year,
      ...chooseProperties(field.attributes, limits),
      ...(field.name.trim() === '' ? {} : { name: field.name.trim() }),
    })),
  };
}

/** Returns all attributes, or none if they exceed the API's limit for properties. */
function chooseProperties(attributes: Attributes, { properties_bytes }: Limits) {
  const { length } = new TextEncoder().encode(JSON.stringify(attributes));
  const isSent = Object.keys(attributes).length > 0 && length <= properties_bytes;
  return isSent ? { properties: attributes } : {};
}

type EstimatedJob = Estimate['jobs'][number];

function buildWarnings({ jobs }: Estimate): HTMLElement | null {
  const fields = groupFieldsByText(jobs, ({ warnings }) => warnings.map(chooseText));
  if (fields.size === 0) return null;
  const items = [...fields].map(([text, of]) =>
    h('li', {}, `${formatCount(of.length, 'field')}: ${text}`),
  );
  return h('div', {}, h('h2', {}, TEXTS.estimate.warnings), h('ul', {}, ...items));
}

/** Maps each text to the indexes of the jobs that have it. */
function groupFieldsByText(
  jobs: readonly EstimatedJob[],
  textsOf: (job: EstimatedJob) => readonly string[],
): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const job of jobs) {
    for (const text of new Set(textsOf(job))) {
      const indexes = found.get(text);
      if (indexes === undefined) found.set(text, [job.job_index]);
      else indexes.push(job.job_index);
    }
  }
  return found;
}

/** The service's message, unless it has numbers that differ between fields. */
function chooseText({ code, message }: EstimatedJob['warnings'][number]): string {
  return code === 'smaller_than_cell' ? TEXTS.estimate.smallerThanCell : message;
}
