import type { FaultKinds, FaultPlan } from './faults.ts';
import { checkGuarantees, type Outcome } from './guarantees.ts';
import type { Scenario } from './scenarios.ts';
import { type OpenStorage, simulate } from './simulate.ts';
import type { Machine } from './synthesised-machine.ts';
import type { CallSite } from './world.ts';

/** Faults that need a running execution. */
const IN_EXECUTIONS: ReadonlySet<string> = new Set([
  'stopped',
  'rolled back',
  'cancelled meanwhile',
  'retried meanwhile',
]);

export interface WalkedScenario {
  readonly scenario: Scenario;
  readonly baseline: Outcome;
  readonly cases: readonly FaultPlan[];
}

/**
 * Returns the cases of all scenarios. Each call site belongs to the first scenario that reaches it. The states of an
 * only job differ from those of a map, and so do its call sites.
 */
export async function scenariosToWalk(
  machine: Machine,
  open: OpenStorage,
  scenarios: readonly Scenario[],
  faults: FaultKinds,
): Promise<readonly WalkedScenario[]> {
  const known = new Set<string>();
  const walked: WalkedScenario[] = [];
  for (const scenario of scenarios) {
    const world = await simulate(machine, open, scenario);
    const taken = scenario.faults.map(formatCallSite);
    const callSites = world.callSites.filter((callSite) => {
      const name = formatCallSite(callSite);
      const isOfOnlyJob = scenario.onlyJob === true && isInExecution(callSite.step);
      const site = isOfOnlyJob ? `only job: ${name}` : name;
      // Leave out call sites of earlier scenarios, and those at which the scenario itself has a fault.
      if (known.has(site) || taken.includes(name)) return false;
      known.add(site);
      return true;
    });
    walked.push({
      scenario,
      baseline: await checkGuarantees(world),
      cases: listCases(callSites, faults),
    });
    await world.storage.close();
  }
  return walked;
}

function formatCallSite({ step, call, occurrence }: CallSite): string {
  return `${step} ${call} ${occurrence}`;
}

function listCases(
  callSites: readonly CallSite[],
  { ofCalls, ofSteps }: FaultKinds,
): readonly FaultPlan[] {
  const steps = [...new Set(callSites.map(({ step }) => step))];
  return [
    ...callSites.flatMap((callSite) =>
      ofCalls
        .filter((fault) => !IN_EXECUTIONS.has(fault) || isInExecution(callSite.step))
        .map((fault) => ({ ...callSite, fault })),
    ),
    ...steps.flatMap((step) => {
      const first = callSites.find((callSite) => callSite.step === step);
      return first === undefined ? [] : ofSteps.map((fault) => ({ ...first, fault }));
    }),
  ];
}

function isInExecution(step: string): boolean {
  return step.startsWith('pipeline/');
}
