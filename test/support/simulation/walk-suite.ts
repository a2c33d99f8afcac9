import { afterAll, describe, expect, it } from 'vitest';
import type { FaultKinds, FaultPlan } from './faults.ts';
import { checkGuarantees, type JobResult } from './guarantees.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { type OpenStorage, simulate } from './simulate.ts';
import { STEPS } from './steps.ts';
import { type Machine, synthesiseMachine } from './synthesised-machine.ts';
import { scenariosToWalk, type WalkedScenario } from './walk.ts';

/**
 * Injects these faults at every call of every step.
 * @param where the storage's name in the titles of tests
 * @param chosen chooses some of a scenario's cases
 */
export async function walkSuite(
  where: string,
  open: OpenStorage,
  faults: FaultKinds,
  {
    concurrent = false,
    chosen = (cases) => cases,
  }: {
    readonly concurrent?: boolean;
    readonly chosen?: (cases: readonly FaultPlan[]) => readonly FaultPlan[];
  } = {},
): Promise<void> {
  const machine = synthesiseMachine();
  const walked = await scenariosToWalk(machine, open, SCENARIOS, faults);
  const [plain] = walked;
  const usual = plain?.baseline.batches[0] ?? [];
  const table = new WalkTable([...faults.ofCalls, ...faults.ofSteps]);

  describe(`faults at every call of every step, ${where}`, () => {
    afterAll(() => console.log(`\n${where}\n${table.text()}`));

    it('covers every step', () => {
      const covered = new Set(walked.flatMap(({ cases }) => cases.map(({ step }) => step)));
      expect([...covered].sort()).toEqual(Object.keys(STEPS).sort());
    });

    it('covers every task of the state machine', () => {
      const inPipeline = Object.keys(STEPS).filter((step) => step.startsWith('pipeline/'));
      expect([...machine.tasks].sort()).toEqual(inPipeline.sort());
    });

    it('starts from a batch with one completed and three failed jobs', () => {
      expect(usual).toEqual([
        'completed',
        'geometry_self_intersection',
        'covariate_unavailable',
        'internal',
      ]);
    });

    for (const { scenario, baseline, cases } of walked) {
      // A scenario without new calls was checked while the cases were collected.
      if (cases.length === 0) continue;
      const expected = { scenario, baseline, usual };
      describe(`when ${scenario.name}`, { concurrent }, () => {
        for (const plan of chosen(cases)) {
          it(`${plan.step} ${plan.call} ${plan.occurrence}: ${plan.fault}`, async () => {
            table.started(plan);
            await checkCase(machine, open, expected, plan);
            table.passed(plan);
          });
        }
      });
    }
  });
}

interface Expected extends Pick<WalkedScenario, 'scenario' | 'baseline'> {
  /** The results of a batch's jobs if no fault occurs. */
  readonly usual: readonly JobResult[];
}

async function checkCase(
  machine: Machine,
  open: OpenStorage,
  { scenario, baseline, usual }: Expected,
  plan: FaultPlan,
): Promise<void> {
  const world = await simulate(machine, open, scenario, plan);
  expect(world.injected, 'the fault occurred').toContain(plan);
  const outcome = await checkGuarantees(world);
  await world.storage.close();
  // The idempotency key makes all of the client's attempts one batch, and a retry adds one batch, however often it is
  // requested.
  const withRetry = baseline.batches.length + (plan.fault === 'retried meanwhile' ? 1 : 0);
  expect([baseline.batches.length, withRetry], 'batches').toContain(outcome.batches.length);
  const extra = extraResults(scenario, plan);
  outcome.batches.slice(0, baseline.batches.length).forEach((results, batch) => {
    const expected = baseline.batches[batch] ?? [];
    expect(results, 'jobs').toHaveLength(expected.length);
    results.forEach((result, index) => {
      const allowed = [expected[index], ...(extra.length > 0 ? [usual[index], ...extra] : [])];
      expect(allowed, `the result of job ${index}`).toContain(result);
    });
  });
}

/**
 * Lists the results that the fault makes possible. A fault that ends before a job's retries are exhausted changes no
 * result.
 */
function extraResults({ mayFailWith = [] }: Scenario, { fault }: FaultPlan): readonly JobResult[] {
  switch (fault) {
    case 'down for long':
      return [...mayFailWith, 'internal'];
    case 'cancelled meanwhile':
      return [...mayFailWith, 'cancelled'];
    default:
      return mayFailWith;
  }
}

class WalkTable {
  private readonly startedCases = new Map<string, number>();
  private readonly passedCases = new Map<string, number>();
  private readonly faults: readonly FaultPlan['fault'][];

  constructor(faults: readonly FaultPlan['fault'][]) {
    this.faults = faults;
  }

  started({ step, fault }: FaultPlan): void {
    countName(this.startedCases, `${step}/${fault}`);
  }

  passed({ step, fault }: FaultPlan): void {
    countName(this.passedCases, `${step}/${fault}`);
  }

  text(): string {
    const steps = Object.keys(STEPS);
    const first = Math.max(...steps.map(({ length }) => length));
    const row = (name: string, cells: readonly string[]) =>
      [name.padEnd(first), ...cells.map((cell, i) => cell.padStart(measureWidth(i)))].join('  ');
    const measureWidth = (column: number) => Math.max((this.faults[column] ?? 'total').length, 5);
    const rows = steps.map((step) => {
      const cells = this.faults.map((fault) => this.cell([`${step}/${fault}`]));
      return row(step, [...cells, this.cell(this.faults.map((fault) => `${step}/${fault}`))]);
    });
    const everything = steps.flatMap((step) => this.faults.map((fault) => `${step}/${fault}`));
    const sums = this.faults.map((fault) => this.cell(steps.map((step) => `${step}/${fault}`)));
    return [
      row('passed', [...this.faults, 'total']),
      ...rows,
      row('total', [...sums, this.cell(everything)]),
    ].join('\n');
  }

  /** Formats a cell as `12`, or as `11/12` if one failed. */
  private cell(names: readonly string[]): string {
    const sum = (counts: ReadonlyMap<string, number>) =>
      names.reduce((total, name) => total + (counts.get(name) ?? 0), 0);
    const [passed, started] = [sum(this.passedCases), sum(this.startedCases)];
    if (started === 0) return '–';
    return passed === started ? String(passed) : `${passed}/${started}`;
  }
}

function countName(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
