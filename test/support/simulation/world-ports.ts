import type { EventBus } from '../../../lambdas/domain/delivery/publish-event.ts';
import type { RunningLimits } from '../../../lambdas/domain/dispatch/slots.ts';
import { inMemoryCopies } from '../../../local/in-memory/client-buckets.ts';
import { inMemoryRequests } from '../../../local/in-memory/files.ts';
import { inMemoryPorts } from '../../../local/in-memory/ports.ts';
import type { Executions } from './executions.ts';
import type { Queue } from './queue.ts';
import type { RecordingReceiver } from './recording-receiver.ts';
import { countingSigner, type Results } from './results.ts';
import { catalogue } from './small-pack.ts';
import { UNREADABLE_JOB } from './step-input.ts';
import type { Storage } from './storage.ts';
import type { VirtualTime } from './time.ts';

export type WorldPorts = ReturnType<typeof worldPorts>;

export interface WorldParts {
  readonly time: VirtualTime;
  readonly storage: Storage;
  readonly queue: Queue;
  readonly executions: Executions;
  readonly receiver: RecordingReceiver;
  readonly results: Results;
  readonly bus: EventBus;
}

/** One batch runs at a time, so that a second batch waits in the queue. */
export const RUNNING: RunningLimits = { inAll: 1, reserved: 0, perTenant: 1 };

type MethodOf<Port> = {
  [Name in keyof Port & string]: Port[Name] extends (...args: never) => unknown ? Name : never;
}[keyof Port & string];

/** The names by which `withFaults` calls the gate, such as `jobs.complete` or `rasters.begin.complete`. */
export type CallName =
  | MethodOf<WorldPorts>
  | {
      [Port in keyof WorldPorts & string]: `${Port}.${MethodOf<WorldPorts[Port]>}`;
    }[keyof WorldPorts]
  | `rasters.begin.${MethodOf<Awaited<ReturnType<WorldPorts['rasters']['begin']>>>}`;

export function worldPorts(parts: WorldParts) {
  const { time, storage, queue, executions, receiver, results, bus } = parts;
  return {
    ...inMemoryPorts(time.clock, catalogue),
    ...storage,
    bus,
    jobRequests: unreadableAt(UNREADABLE_JOB),
    blocks: results.blocks,
    rasters: results.files,
    ...inMemoryCopies(catalogue, results.files),
    // The digests are those of the deployment, so a file that is missing now does not matter.
    packDigests: async () => ({}),
    runner: executions,
    runningLimits: RUNNING,
    deliveryQueue: queue.deliveryQueue,
    deadLetters: queue.dead,
    receiver,
    signer: countingSigner(time.clock),
    pause: async (seconds: number) => time.advance(seconds * 1_000),
  };
}

function unreadableAt(index: number) {
  const requests = inMemoryRequests();
  return {
    ...requests,
    job: async (batchId: string, entry: Parameters<typeof requests.job>[1]) => {
      const entries = await requests.entries(batchId);
      if (entries[index]?.offset === entry.offset) throw new TypeError('unreadable request');
      return requests.job(batchId, entry);
    },
  };
}
