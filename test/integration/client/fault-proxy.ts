import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A fault that a request meets instead of its response. */
export type Fault =
  /** The connection is reset before the service gets the request. */
  | { readonly kind: 'reset' }
  /** The service handles the request, but the connection is reset before the response. */
  | { readonly kind: 'lost' }
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** Half of the body arrives; then the connection is reset, or ends as if the body were complete. */
  | { readonly kind: 'half'; readonly end: 'reset' | 'whole' };

export interface PlannedFault {
  /** Matches the method and path, such as `POST /v1/batch`. */
  readonly request: RegExp;
  readonly times: number;
  readonly fault: Fault;
}

export interface ProxiedRequest {
  readonly request: string;
  /** The number of the link to a result; each response of the API has new links. */
  readonly link: number | null;
  readonly headers: IncomingMessage['headers'];
}

/** A problem sent by the service's gateway, which pages of any origin may read. */
export function problem(status: number, slug: string, retryAfter: number): Fault {
  return {
    kind: 'response',
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Retry-After': String(retryAfter),
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'Retry-After',
    },
    body: JSON.stringify({
      type: `https://v2.soil.example/docs/problems/${slug}`,
      title: slug,
      status,
      detail: 'by the fault proxy',
      request_id: 'r-1',
    }),
  };
}

/** S3's response for an expired URL, with the headers of its CORS rule. */
export const EXPIRED: Fault = {
  kind: 'response',
  status: 403,
  headers: { 'Content-Type': 'application/xml', 'Access-Control-Allow-Origin': '*' },
  body: '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>',
};

/** A load balancer's HTML error page, which pages of other origins cannot even read. */
export const HTML_503: Fault = {
  kind: 'response',
  status: 503,
  headers: { 'Content-Type': 'text/html' },
  body: '<html><head><title>503 Service Unavailable</title></head></html>',
};

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

/**
 * A proxy between a client and the service. It serves results from `localhost`, so that their origin differs
 * from the API's, as on AWS.
 */
export async function startFaultProxy(upstream: string) {
  let planned: { readonly plan: PlannedFault; left: number }[] = [];
  let requests: ProxiedRequest[] = [];
  let links = 0;

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const { port } = address;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const path = url.replace(/^\/link-\d+/, '');
    const body = await bodyOf(request);
    const link = /^\/link-(\d+)/.exec(url)?.[1] ?? null;
    requests.push({
      request: `${method} ${path}`,
      link: link === null ? null : Number(link),
      headers: request.headers,
    });
    const fault = chooseFault(`${method} ${path}`);
    if (fault?.kind === 'reset') return resetConnection(response);
    if (fault?.kind === 'response') {
      response.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    }
    const answer = await forward(method, path, request, body);
    if (fault?.kind === 'lost') return resetConnection(response);
    const { headers, content } = rewriteLinks(answer);
    if (fault?.kind !== 'half') {
      response.writeHead(answer.status, headers).end(content);
      return;
    }
    const half = content.subarray(0, content.length / 2);
    if (fault.end === 'whole') {
      const { 'content-length': _, ...others } = headers;
      response.writeHead(answer.status, others).end(half);
      return;
    }
    response.writeHead(answer.status, { ...headers, 'content-length': String(content.length) });
    response.write(half, () => setTimeout(() => resetConnection(response), 20));
  }

  function chooseFault(request: string): Fault | undefined {
    const one = planned.find(({ plan, left }) => left > 0 && plan.request.test(request));
    if (one === undefined) return undefined;
    one.left -= 1;
    return one.plan.fault;
  }

  async function forward(method: string, path: string, request: IncomingMessage, body: Buffer) {
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const response = await fetch(`${upstream}${path}`, {
      method,
      headers: headers as Record<string, string>,
      redirect: 'manual',
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    const content = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(response.headers), content };
  }

  function rewriteLinks({
    headers,
    content,
  }: {
    headers: Record<string, string>;
    content: Buffer;
  }) {
    const signed = (text: string) => {
      links += 1;
      return text.replaceAll(
        `${upstream}/results/`,
        `http://localhost:${port}/link-${links}/results/`,
      );
    };
    const json = headers['content-type']?.includes('json') === true;
    // `fetch` has already decoded the content.
    const { location, 'transfer-encoding': _, 'content-encoding': __, ...others } = headers;
    const moved = location === undefined ? {} : { location: signed(location) };
    const body = json ? Buffer.from(signed(content.toString())) : content;
    return {
      headers: { ...others, ...moved, 'content-length': String(body.length) },
      content: body,
    };
  }

  return {
    url: `http://127.0.0.1:${port}`,
    /** Forgets the recorded requests and earlier plans. */
    plan(...faults: readonly PlannedFault[]) {
      planned = faults.map((plan) => ({ plan, left: plan.times }));
      requests = [];
    },
    unmet: () => planned.filter(({ left }) => left > 0).map(({ plan }) => plan),
    requests: (pattern: RegExp) => requests.filter(({ request }) => pattern.test(request)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function resetConnection(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
