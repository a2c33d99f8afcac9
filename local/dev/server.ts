import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Clock } from '../../lambdas/domain/clock.ts';
import type { BatchId } from '../../lambdas/domain/identity.ts';
import type { TenantLimits } from '../../lambdas/domain/tenant/tenant.ts';
import type { Log } from '../../lambdas/observability/log.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import { devGateway } from './gateway.ts';
import { serveResult } from './results.ts';
import { devService } from './service.ts';

const HOST = '127.0.0.1';

/** The API on AWS compresses responses from this size on (`minCompressionSize`). */
const COMPRESSED_FROM_BYTES = 1_024;

export interface DevServerOptions {
  /** 0 means any free port. */
  readonly port: number;
  readonly config: StageConfig;
  readonly version: string;
  readonly apiKey: string;
  readonly write: Log;
  readonly onFault: (batchId: BatchId, error: unknown) => void;
  readonly limits?: Partial<TenantLimits>;
  readonly clock?: Clock;
}

export interface DevServer {
  /** The URL has no trailing slash. */
  readonly url: string;
  readonly server: Server;
}

/** Only this machine can connect. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { port, config, version, apiKey, write, onFault, limits = {}, clock } = options;
  const server = createServer();
  const url = `http://${HOST}:${await listen(server, port)}`;
  const service = devService({
    config,
    version,
    apiKey,
    baseUrl: url,
    onFault,
    limits,
    ...(clock === undefined ? {} : { clock }),
  });
  const gateway = service.then((ready) => devGateway(ready, url, write));
  server.on('request', async (request, response) => {
    try {
      if (serveResult((await service).ports.rasters, request, response)) return;
      const { statusCode, headers, body } = await (await gateway)(request);
      const own = headers as OutgoingHttpHeaders;
      const isSmall = body.length < COMPRESSED_FROM_BYTES;
      if (isSmall || !/\bgzip\b/.test(String(request.headers['accept-encoding']))) {
        response.writeHead(statusCode, own).end(body);
      } else {
        response.writeHead(statusCode, { ...own, 'Content-Encoding': 'gzip' }).end(gzipSync(body));
      }
    } catch (error) {
      console.error(error);
      response.writeHead(502).end();
    }
  });
  await gateway;
  return { url, server };
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    server.listen({ port, host: HOST });
    await once(server, 'listening');
  } catch (error) {
    const inUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw inUse
      ? new Error(`port ${port} is in use; run npm run dev -- --port 0 to use a free port`)
      : error;
  }
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server did not open a port');
  return address.port;
}
