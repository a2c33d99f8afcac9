import type { Course } from './courses.ts';
import { FAULTS, type FaultPlan, STEP_FAULTS } from './faults.ts';
import { live, type OpenStorage } from './live.ts';
import type { Machine } from './state-machine.ts';
import { holdsItsPromises, type Outcome } from './verdict.ts';
import type { Place } from './world.ts';

/** They need an execution that can be stopped, or a batch that runs. */
const OF_EXECUTIONS: ReadonlySet<string> = new Set([
  'stopped',
  'cancelled meanwhile',
  'retried meanwhile',
]);

/** A course, how its batch ends without a further fault, and where faults can strike in it. */
export interface WalkedCourse {
  readonly course: Course;
  readonly undisturbed: Outcome;
  readonly cases: readonly FaultPlan[];
}

/** Every place of every course, once: a place that an earlier course has too is that one's. */
export async function coursesToWalk(
  machine: Machine,
  open: OpenStorage,
  courses: readonly Course[],
): Promise<readonly WalkedCourse[]> {
  const known = new Set<string>();
  const walked: WalkedCourse[] = [];
  for (const course of courses) {
    const world = await live(machine, open, course);
    const own = course.faults.map(nameOf);
    const places = world.places.filter((place) => {
      const name = nameOf(place);
      // The course's own fault has this place.
      if (known.has(name) || own.includes(name)) return false;
      known.add(name);
      return true;
    });
    walked.push({ course, undisturbed: await holdsItsPromises(world), cases: casesAt(places) });
    await world.storage.close();
  }
  return walked;
}

function nameOf({ step, call, occurrence }: Place): string {
  return `${step} ${call} ${occurrence}`;
}

function casesAt(places: readonly Place[]): readonly FaultPlan[] {
  const steps = [...new Set(places.map(({ step }) => step))];
  return [
    ...places.flatMap((place) =>
      FAULTS.filter((fault) => !OF_EXECUTIONS.has(fault) || isInExecution(place.step)).map(
        (fault) => ({ ...place, fault }),
      ),
    ),
    ...steps.flatMap((step) => {
      const first = places.find((place) => place.step === step);
      return first === undefined ? [] : STEP_FAULTS.map((fault) => ({ ...first, fault }));
    }),
  ];
}

function isInExecution(step: string): boolean {
  return step.startsWith('pipeline/');
}
