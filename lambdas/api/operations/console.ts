import { html } from '../../drawing/html.ts';
import { HTML_PAGE, type OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { noSuchPath } from '../http/not-found.ts';
import { readQuery } from '../http/query.ts';
import { revalidatedText } from '../http/response.ts';

export const consoleDefinition = {
  operationId: 'getConsole',
  tag: 'Service',
  summary: 'Console',
  description:
    'The console as an HTML page: draw or drop fields, see the cost, watch the progress and read the values.',
  parameters: ['ifNoneMatch'],
  response: HTML_PAGE,
  problems: [],
} as const satisfies OperationDefinition;

export const consoleAssetDefinition = {
  operationId: 'getConsoleAsset',
  tag: 'Service',
  summary: 'Console file',
  description: 'A script, style sheet or text that the console loads.',
  parameters: ['asset', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The file',
    headers: ['ETag', 'Cache-Control'],
    content: { mediaType: 'text/*' },
  },
  problems: ['not-found'],
} as const satisfies OperationDefinition;

/** The bundled files of `console/`, with names that contain a hash of their content. */
export interface ConsoleFiles {
  /** The files that the page links to. Their scripts load the other files. */
  readonly entry: () => Promise<ConsoleEntry>;
  /** Returns undefined if the console has no such file. */
  readonly read: (name: string) => Promise<string | undefined>;
}

export interface ConsoleEntry {
  readonly script: string;
  readonly style: string;
  /** The worker that reads files. */
  readonly reader: string;
  readonly licences: string;
}

export interface ConsolePorts {
  readonly files: ConsoleFiles;
  /** The origin of signed URLs, from which the page reads rasters. */
  readonly resultsOrigin: string;
  readonly backgrounds: readonly Background[];
  /** Whether other pages share the console's origin and could therefore read the tab's storage. */
  readonly isOriginShared: boolean;
}

export interface Background {
  readonly name: string;
  /** The URL template of the map's tiles, with `{z}`, `{x}` and `{y}`. */
  readonly url: string;
  readonly attribution: string;
  /** The largest zoom level that has tiles. */
  readonly maxZoom: number;
}

const DENIED_FEATURES = ['camera', 'geolocation', 'microphone', 'payment', 'usb'];

export function consolePageOperation(ports: ConsolePorts): Operation {
  const { files, resultsOrigin, backgrounds } = ports;
  return async (request) => {
    // The folder is relative, because a base URL may have a path: `console/x.js` from `/live/console`, or `x.js` from
    // `/live/console/`.
    const folder = request.path.endsWith('/') ? './' : './console/';
    const page = pageOf(await files.entry(), folder, ports);
    return revalidatedText(request, 'text/html; charset=utf-8', page, {
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': contentPolicy(resultsOrigin, backgrounds),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': DENIED_FEATURES.map((feature) => `${feature}=()`).join(', '),
    });
  };
}

function pageOf(
  { script, style, reader, licences }: ConsoleEntry,
  folder: string,
  { backgrounds, isOriginShared }: ConsolePorts,
): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Soil Batch</title>
<link rel="icon" href="data:,">
<meta name="reader" content="${folder}${reader}">
<meta name="licences" content="${folder}${licences}">
<meta name="backgrounds" content="${JSON.stringify(backgrounds)}">
<meta name="origin-shared" content="${String(isOriginShared)}">
<link rel="stylesheet" href="${folder}${style}">
<script type="module" src="${folder}${script}"></script>
</head>
<body>
<main class="key"><h1 class="brand">Soil Batch</h1><p role="status">Loading the console …</p></main>
<noscript>The console needs JavaScript. The API does not: <a href="${folder}../docs">API reference</a>.</noscript>
</body>
</html>
`.html;
}

/**
 * Builds the console's Content-Security-Policy (CSP Level 3). It allows workers, because the console reads files in a
 * worker, and OpenLayers decodes tiles in workers that it creates from blobs.
 */
function contentPolicy(resultsOrigin: string, backgrounds: readonly Background[]): string {
  const tiles = new Set(backgrounds.map(({ url }) => originOf(url)));
  const directives: Readonly<Record<string, readonly string[]>> = {
    'default-src': ["'none'"],
    'script-src': ["'self'", "'wasm-unsafe-eval'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:', 'blob:', ...tiles],
    'worker-src': ["'self'", 'blob:'],
    'connect-src': ["'self'", resultsOrigin],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ');
}

function originOf(tileUrl: string): string {
  return new URL(tileUrl).origin;
}

/**
 * The policy of the console's files. A worker has the policy of its script, so it may load other scripts and run
 * WebAssembly, which the GeoPackage reader needs, but not connect to anything.
 */
const WORKER_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};

export function consoleAssetOperation({ files }: ConsolePorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const name = request.pathParameter('asset');
    const text = await files.read(name);
    const type = TYPES[name.split('.').at(-1) ?? ''];
    if (text === undefined || type === undefined) throw noSuchPath(request);
    return revalidatedText(request, type, text, {
      // The name contains a hash of the content, so the content under a name never changes.
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': WORKER_POLICY,
    });
  };
}
