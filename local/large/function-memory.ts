import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of one function's processes, in MiB. */
export interface FunctionMemory {
  readonly function: string;
  /** Maximum of one process in the first half of the run, and in the second. */
  readonly first_half: number;
  readonly second_half: number;
}

export interface MemoryWatch {
  stop(): readonly FunctionMemory[];
}

const INTERVAL_MS = 1_000;

interface Sample {
  readonly at: number;
  readonly name: string;
  readonly megabytes: number;
}

/** Samples once a second the memory of every function of the emulator, from /proc; empty without it. */
export function watchFunctionMemory(endpointUrl: string): MemoryWatch {
  const port = new URL(endpointUrl).port;
  const samples: Sample[] = [];
  const sample = (): void => {
    for (const pid of processes()) samples.push(...sampleOf(pid, port));
  };
  const timer = setInterval(sample, INTERVAL_MS);
  return {
    stop() {
      clearInterval(timer);
      return functionMemories(samples);
    },
  };
}

function processes(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Empty for a process that is not a function, or that ends meanwhile. */
function sampleOf(pid: string, port: string): readonly Sample[] {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const value = (name: string) =>
      environment.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
    const name = value('AWS_LAMBDA_FUNCTION_NAME');
    if (name === undefined || value('GATEWAY_PORT') !== port) return [];
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return [{ at: Date.now(), name, megabytes: Math.round(Number(kilobytes ?? 0) / 1024) }];
  } catch {
    return [];
  }
}

function functionMemories(samples: readonly Sample[]): readonly FunctionMemory[] {
  const names = [...new Set(samples.map(({ name }) => name))].sort();
  return names.map((name) => {
    const own = samples.filter((sample) => sample.name === name);
    const [from, to] = [own[0]?.at ?? 0, own.at(-1)?.at ?? 0];
    const most = (part: readonly Sample[]) => Math.max(0, ...part.map((s) => s.megabytes));
    return {
      function: name,
      first_half: most(own.filter(({ at }) => at <= (from + to) / 2)),
      second_half: most(own.filter(({ at }) => at > (from + to) / 2)),
    };
  });
}
