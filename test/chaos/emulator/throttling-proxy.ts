import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';

export interface ThrottlingProxy extends AsyncDisposable {
  readonly url: string;
  readonly calls: { throttled: number; forwarded: number };
  forwardTo(endpointUrl: string): void;
  /** Throttles this fraction of requests from now on. */
  throttle(rate: number): void;
}

/** Two error types with which DynamoDB throttles requests, used alternately. */
const ERRORS = [
  'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
  'com.amazon.coral.availability#ThrottlingException',
] as const;

export async function throttlingProxy(): Promise<ThrottlingProxy> {
  let target: URL | null = null;
  let rate = 0;
  const calls = { throttled: 0, forwarded: 0 };
  const server = createServer((request, response) => {
    if (target === null) response.writeHead(503).end();
    else if (Math.random() < rate) {
      calls.throttled += 1;
      request.resume().on('end', () => reject(response, calls.throttled));
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
      rate = wanted;
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function reject(response: ServerResponse, count: number): void {
  const body = JSON.stringify({ __type: ERRORS[count % 2], message: 'Rate exceeded' });
  response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' }).end(body);
}

/** Forwards a request with the caller's headers, which its signature covers. */
function forward(
  { hostname, port }: URL,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method, url, headers } = request;
  const onward = httpRequest({ hostname, port, method, path: url, headers }, (upstream) => {
    response.writeHead(upstream.statusCode ?? 502, upstream.headers);
    upstream.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}
