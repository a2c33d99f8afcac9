import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dispatchBatch, dispatchQueue } from '../../../../lambdas/domain/dispatch/dispatch.ts';
import { runs } from '../../../support/runs.ts';
import { makeDispatchWorld } from './dispatch-world.ts';

type World = ReturnType<typeof makeDispatchWorld>;

const LIMITS = { inAll: 4, reserved: 1, perTenant: 2 };
/** Slots that any tenant may take; the others are reserved for tenants without a running batch. */
const FOR_ANY = LIMITS.inAll - LIMITS.reserved;

/** The created batches, and those that have ended. */
interface Model {
  readonly tenantOf: Map<string, string>;
  readonly ended: Set<string>;
}

class Command implements fc.AsyncCommand<Model, World> {
  private readonly name: string;
  private readonly does: (model: Model, world: World) => Promise<void>;

  constructor(name: string, does: (model: Model, world: World) => Promise<void>) {
    this.name = name;
    this.does = does;
  }

  check = () => true;

  async run(model: Model, world: World): Promise<void> {
    await this.does(model, world);
    await expectAgreement(model, world);
  }

  toString = () => this.name;
}

const make = (tenant: string, dies: boolean) =>
  new Command(`make ${tenant}${dies ? ', die before dispatch' : ''}`, async (model, world) => {
    const batch = await world.make(tenant);
    model.tenantOf.set(batch.batch_id, tenant);
    if (!dies) await dispatchBatch(world.ports, batch);
  });

const makeSeveral = (tenants: readonly string[]) =>
  new Command(`make ${tenants.join(', ')} together`, async (model, world) => {
    const made = [];
    for (const tenant of tenants) made.push(await world.make(tenant));
    for (const { batch_id: batchId, tenant } of made) model.tenantOf.set(batchId, tenant);
    await Promise.all(made.map((batch) => dispatchBatch(world.ports, batch)));
  });

/** Ends two batches together; each end dispatches the queue, unless its process dies. */
const end = (pick: number, dispatching: boolean) =>
  new Command(`end ${pick}${dispatching ? '' : ', die before dispatch'}`, async (model, world) => {
    const open = [...model.tenantOf.keys()].filter((id) => !model.ended.has(id));
    const chosen = [open[pick % open.length], open[(pick + 1) % open.length]];
    const ending = [...new Set(chosen)].filter((id) => id !== undefined);
    await Promise.all(
      ending.map(async (batchId) => {
        await world.end(batchId);
        model.ended.add(batchId);
        if (dispatching) await dispatchQueue(world.ports);
      }),
    );
  });

const cancel = (pick: number) =>
  new Command(`cancel ${pick}`, async (model, world) => {
    const open = [...model.tenantOf.keys()].filter((id) => !model.ended.has(id));
    const batchId = open[pick % open.length];
    if (batchId === undefined) return;
    await world.batches.requestCancel(batchId, '2026-03-01T12:00:00.000Z');
    await world.end(batchId);
    model.ended.add(batchId);
  });

const dispatching = new Command('dispatch', async (_, world) => {
  await dispatchQueue(world.ports);
});

const failing = (fails: boolean) =>
  new Command(`starts ${fails ? 'fail' : 'succeed'}`, async (_, world) => {
    world.faults.start = fails;
  });

/** Expects that running batches hold a slot each, within the limits, and that ended batches hold none. */
async function expectAgreement({ tenantOf, ended }: Model, world: World): Promise<void> {
  const held = await world.slots.readHeld();
  expect(held.length).toBeLessThanOrEqual(LIMITS.inAll);
  expect(new Set(held.map(({ ofAll }) => ofAll)).size).toBe(held.length);
  for (const tenant of new Set(tenantOf.values())) {
    const own = held.filter((slot) => slot.tenant === tenant);
    expect(own.length).toBeLessThanOrEqual(LIMITS.perTenant);
    expect(new Set(own.map(({ ofTenant }) => ofTenant)).size).toBe(own.length);
    expect(own.filter(({ ofAll }) => ofAll >= FOR_ANY).length).toBeLessThanOrEqual(1);
  }
  for (const { batchId } of held) expect(ended.has(batchId)).toBe(false);
  for (const batchId of world.started) {
    const holds = held.some((slot) => slot.batchId === batchId);
    expect(holds || ended.has(batchId), 'a started batch holds a slot until it ends').toBe(true);
  }
}

async function dispatchUntilRest({ tenantOf, ended }: Model, world: World): Promise<void> {
  world.faults.start = false;
  while (ended.size < tenantOf.size) {
    for (const batchId of tenantOf.keys()) {
      const batch = await world.batches.readBatch(batchId);
      if (batch !== null) await dispatchBatch(world.ports, batch);
    }
    const held = await world.slots.readHeld();
    const open = [...tenantOf].filter(([id]) => !ended.has(id));
    for (const [batchId, tenant] of open) {
      if (held.some((slot) => slot.batchId === batchId)) continue;
      const own = held.filter((slot) => slot.tenant === tenant).length;
      if (own === LIMITS.perTenant) continue;
      const room = own === 0 ? LIMITS.inAll : FOR_ANY;
      expect(held.length, 'no slot stays free for a batch that waits').toBeGreaterThanOrEqual(room);
    }
    expect(held.length, 'some batch runs until all have ended').toBeGreaterThan(0);
    for (const { batchId } of held) {
      expect(world.started).toContain(batchId);
      await world.end(batchId);
      ended.add(batchId);
    }
  }
}

const tenant = fc.constantFrom('a', 'b', 'c', 'd');
const pick = fc.nat(20);

const commands = fc.commands(
  [
    fc.tuple(tenant, fc.constantFrom(false, false, true)).map(([t, dies]) => make(t, dies)),
    fc.array(tenant, { minLength: 2, maxLength: 5 }).map(makeSeveral),
    fc.tuple(pick, fc.constantFrom(true, true, false)).map(([n, goesOn]) => end(n, goesOn)),
    pick.map(cancel),
    fc.constant(dispatching),
    fc.boolean().map(failing),
  ],
  { maxCommands: 60, size: 'max' },
);

describe('batches of several tenants, created, dispatched, ended and cancelled in any order', () => {
  it('never exceed the limits, and every waiting batch gets a slot', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (steps) => {
        const real = makeDispatchWorld(LIMITS);
        const model: Model = { tenantOf: new Map(), ended: new Set() };
        await fc.asyncModelRun(() => ({ model, real }), steps);
        await dispatchUntilRest(model, real);
      }),
      { numRuns: runs(150) },
    );
  }, 120_000);
});
