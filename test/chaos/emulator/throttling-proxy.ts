import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';

/** Stands between functions and DynamoDB and turns calls away, as a busy table does. */
export interface ThrottlingProxy extends AsyncDisposable {
  readonly url: string;
  /** Calls that were turned away and calls that went through. */
  readonly calls: { throttled: number; forwarded: number };
  /** Where calls that go through go to. */
  forwardTo(endpointUrl: string): void;
  /** From now on, this share of all calls is turned away. */
  throttle(share: number): void;
}

/** As DynamoDB spells them, in equal parts. */
const ANSWERS = [
  'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
  'com.amazon.coral.availability#ThrottlingException',
] as const;

export async function throttlingProxy(): Promise<ThrottlingProxy> {
  let target: URL | null = null;
  let share = 0;
  const calls = { throttled: 0, forwarded: 0 };
  const server = createServer((request, response) => {
    if (target === null) response.writeHead(503).end();
    else if (Math.random() < share) {
      calls.throttled += 1;
      request.resume().on('end', () => turnAway(response, calls.throttled));
    } else {
      calls.forwarded += 1;
      forward(target, request, response);
    }
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    forwardTo: (endpointUrl) => {
      target = new URL(endpointUrl);
    },
    throttle: (wanted) => {
      share = wanted;
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function turnAway(response: ServerResponse, count: number): void {
  const body = JSON.stringify({ __type: ANSWERS[count % 2], message: 'Rate exceeded' });
  response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' }).end(body);
}

/** With the caller's own headers: its signature is over them. */
function forward(
  { hostname, port }: URL,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method, url, headers } = request;
  const onward = httpRequest({ hostname, port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}
