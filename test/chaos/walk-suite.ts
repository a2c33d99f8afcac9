import { afterAll, describe, expect, it } from 'vitest';
import { COURSES, type Course } from './courses.ts';
import { FAULTS, type FaultPlan, STEP_FAULTS } from './faults.ts';
import { live, type OpenStorage } from './live.ts';
import { type Machine, synthesisedMachine } from './state-machine.ts';
import { STEPS } from './steps.ts';
import type { Ending } from './verdict.ts';
import { holdsItsPromises } from './verdict.ts';
import { coursesToWalk, type WalkedCourse } from './walk.ts';

const ALL_FAULTS = [...FAULTS, ...STEP_FAULTS];

/**
 * Walks every fault at every call of every step, over a storage.
 * @param where for a person: what the storage is
 * @param options as Vitest's `describe` takes them
 */
export async function walkSuite(
  where: string,
  open: OpenStorage,
  options: { readonly concurrent?: boolean } = {},
): Promise<void> {
  const machine = synthesisedMachine();
  const walked = await coursesToWalk(machine, open, COURSES);
  const [plain] = walked;
  const usual = plain?.undisturbed.batches[0] ?? [];
  const table = new WalkTable();

  describe(`every fault at every call of every step, ${where}`, () => {
    afterAll(() => console.log(`\n${where}\n${table.text()}`));

    it('strikes in every step of the table', () => {
      const struck = new Set(walked.flatMap(({ cases }) => cases.map(({ step }) => step)));
      expect([...struck].sort()).toEqual(Object.keys(STEPS).sort());
    });

    it('knows every task of the state machine', () => {
      const inPipeline = Object.keys(STEPS).filter((step) => step.startsWith('pipeline/'));
      expect([...new Set(machine.tasks.values())].sort()).toEqual(inPipeline.sort());
    });

    it('begins with a batch of one job completed, one refused and two failed', () => {
      expect(usual).toEqual([
        'completed',
        'geometry_self_intersection',
        'covariate_unavailable',
        'internal',
      ]);
    });

    for (const { course, undisturbed, cases } of walked) {
      // It may call nothing that an earlier course did not; that it holds was seen on the way.
      if (cases.length === 0) continue;
      const expected = { course, undisturbed, usual };
      describe(`when ${course.name}`, options, () => {
        for (const plan of cases) {
          it(`${plan.step} ${plan.call} ${plan.occurrence}: ${plan.fault}`, async () => {
            table.begins(plan);
            await holds(machine, open, expected, plan);
            table.holds(plan);
          });
        }
      });
    }
  });
}

interface Expected extends Pick<WalkedCourse, 'course' | 'undisturbed'> {
  /** Endings of the jobs when nothing goes wrong. */
  readonly usual: readonly Ending[];
}

async function holds(
  machine: Machine,
  open: OpenStorage,
  { course, undisturbed, usual }: Expected,
  plan: FaultPlan,
): Promise<void> {
  const world = await live(machine, open, course, plan);
  expect(world.struck, 'the fault struck').toContain(plan);
  const outcome = await holdsItsPromises(world);
  await world.storage.close();
  // Its idempotency key: however often the client had to send it, it is one batch.
  // A retry that came in time is one more, and made once, however often it is asked for.
  const mayBe = undisturbed.batches.length + (plan.fault === 'retried meanwhile' ? 1 : 0);
  expect([undisturbed.batches.length, mayBe], 'batches').toContain(outcome.batches.length);
  const extra = extraEndings(course, plan);
  outcome.batches.slice(0, undisturbed.batches.length).forEach((endings, batch) => {
    const otherwise = undisturbed.batches[batch] ?? [];
    expect(endings, 'jobs').toHaveLength(otherwise.length);
    endings.forEach((ending, index) => {
      const allowed = [otherwise[index], ...(extra.length > 0 ? [usual[index], ...extra] : [])];
      expect(allowed, `the ending of job ${index}`).toContain(ending);
    });
  });
}

/** A fault that ends before a job's retries are exhausted leaves no trace. */
function extraEndings({ mayFailWith = [] }: Course, { fault }: FaultPlan): readonly Ending[] {
  switch (fault) {
    case 'down for long':
      return [...mayFailWith, 'internal'];
    case 'cancelled meanwhile':
      return [...mayFailWith, 'cancelled'];
    default:
      return mayFailWith;
  }
}

/** Cases by step and fault: how many there are and how many held. */
class WalkTable {
  private readonly begun = new Map<string, number>();
  private readonly held = new Map<string, number>();

  begins({ step, fault }: FaultPlan): void {
    count(this.begun, `${step}/${fault}`);
  }

  holds({ step, fault }: FaultPlan): void {
    count(this.held, `${step}/${fault}`);
  }

  text(): string {
    const steps = Object.keys(STEPS);
    const first = Math.max(...steps.map(({ length }) => length));
    const row = (name: string, cells: readonly string[]) =>
      [name.padEnd(first), ...cells.map((cell, i) => cell.padStart(widthOf(i)))].join('  ');
    const widthOf = (column: number) => Math.max((ALL_FAULTS[column] ?? 'total').length, 5);
    const rows = steps.map((step) => {
      const cells = ALL_FAULTS.map((fault) => this.cell([`${step}/${fault}`]));
      return row(step, [...cells, this.cell(ALL_FAULTS.map((fault) => `${step}/${fault}`))]);
    });
    const everything = steps.flatMap((step) => ALL_FAULTS.map((fault) => `${step}/${fault}`));
    const sums = ALL_FAULTS.map((fault) => this.cell(steps.map((step) => `${step}/${fault}`)));
    return [
      row('held', [...ALL_FAULTS, 'total']),
      ...rows,
      row('total', [...sums, this.cell(everything)]),
    ].join('\n');
  }

  /** `12`, or `11/12` when one did not hold. */
  private cell(names: readonly string[]): string {
    const sum = (counts: ReadonlyMap<string, number>) =>
      names.reduce((total, name) => total + (counts.get(name) ?? 0), 0);
    const [held, begun] = [sum(this.held), sum(this.begun)];
    if (begun === 0) return '–';
    return held === begun ? String(held) : `${held}/${begun}`;
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
