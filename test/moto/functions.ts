import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readReceived, receiveHttp } from '../support/delivery/local-receiver.ts';

const RUNTIME = fileURLToPath(new URL('run-function.mjs', import.meta.url));

export interface LambdaFunction {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
}

/** A fault of an invocation: it is rejected, its process is killed, or it throws a `TypeError`. */
export type Fault = 'throttled' | 'killed' | 'TypeError';

export interface Invocation {
  readonly failed: boolean;
  readonly payload: unknown;
}

export interface Functions extends AsyncDisposable {
  readonly port: number;
  deploy(name: string, fn: LambdaFunction): void;
  invoke(name: string, event: unknown): Promise<Invocation>;
  /** Injects these faults into the function's next invocations, one each. */
  fail(name: string, ...faults: readonly Fault[]): void;
  countFaults(): number;
}

/** Runs functions in processes. A process handles one event at a time. */
export async function startFunctions(): Promise<Functions> {
  const deployed = new Map<string, LambdaFunction>();
  const idle = new Map<string, ChildProcess[]>();
  const all = new Set<ChildProcess>();
  const faults: { readonly name: string; readonly fault: Fault }[] = [];

  function takeFault(name: string): Fault | undefined {
    const index = faults.findIndex((one) => one.name === name);
    return index < 0 ? undefined : faults.splice(index, 1)[0]?.fault;
  }

  function startProcess({ folder, environment }: LambdaFunction): ChildProcess {
    const env = { ...environment, LAMBDA_TASK_ROOT: folder };
    const started = fork(RUNTIME, { cwd: folder, env, execArgv: [], stdio: 'ignore' });
    all.add(started);
    started.once('exit', () => all.delete(started));
    return started;
  }

  async function invoke(name: string, event: unknown, fault?: Fault): Promise<Invocation> {
    const fn = deployed.get(name);
    if (fn === undefined) throw new Error(`no function ${name}`);
    if (fault === 'TypeError') return describeError('TypeError', 'x is not a function');
    const own = idle.get(name)?.pop() ?? startProcess(fn);
    const waiting = new AbortController();
    const { signal } = waiting;
    const result = Promise.race([
      once(own, 'message', { signal }).then(([message]) => message as Invocation),
      once(own, 'exit', { signal }).then(() =>
        describeError('Runtime.ExitError', 'RequestId: 1 Error: Runtime exited: signal: killed'),
      ),
    ]);
    own.send({ event, seconds: fn.timeoutSeconds });
    if (fault === 'killed') own.kill('SIGKILL');
    const invocation = await result.finally(() => waiting.abort());
    if (own.connected) idle.set(name, [...(idle.get(name) ?? []), own]);
    return invocation;
  }

  // https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
  const server = await receiveHttp(async (request, response) => {
    const { path, body } = await readReceived(request);
    const name = decodeURIComponent(path.split('/')[3] ?? '').replace(/.*:function:/, '');
    const fault = takeFault(name);
    if (fault === 'throttled') {
      const kind = { 'x-amzn-errortype': 'TooManyRequestsException' };
      response
        .writeHead(429, { ...kind, 'x-amzn-requestid': randomUUID() })
        .end('{"message":"Rate Exceeded."}');
      return;
    }
    const { failed, payload } = await invoke(name, JSON.parse(body.toString()), fault);
    response.writeHead(200, failed ? { 'x-amz-function-error': 'Unhandled' } : {});
    response.end(JSON.stringify(payload));
  });

  return {
    port: server.port,
    deploy: (name, fn) => deployed.set(name, fn),
    invoke,
    fail: (name, ...next) => faults.push(...next.map((fault) => ({ name, fault }))),
    countFaults: () => faults.length,
    async [Symbol.asyncDispose]() {
      for (const each of all) each.kill('SIGKILL');
      await server[Symbol.asyncDispose]();
    },
  };
}

function describeError(errorType: string, errorMessage: string): Invocation {
  return { failed: true, payload: { errorType, errorMessage } };
}
