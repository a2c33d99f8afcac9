import { type Html, html } from '#engine/markup/html.ts';
import type { Operation } from '../../http/handle.ts';
import { revalidatedText } from '../../http/response.ts';
import { HTML_PAGE } from '../../specification/html-page.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import type { ConsoleEntry, ConsolePorts } from './console-ports.ts';
import { contentPolicy } from './content-policy.ts';

const NO_DEVICES = ['camera', 'geolocation', 'microphone', 'payment', 'usb'];

export function consolePageOperation(ports: ConsolePorts): Operation {
  const { files, resultsOrigin, tileUrl } = ports;
  return async (request) => {
    // Relative, because a base URL may have a path: `console/x.js` of `/live/console`, or `x.js` of
    // `/live/console/`.
    const folder = request.path.endsWith('/') ? './' : './console/';
    const page = pageOf(await files.entry(), folder, ports);
    return revalidatedText(request, 'text/html; charset=utf-8', page, {
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': contentPolicy(resultsOrigin, tileUrl),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': NO_DEVICES.map((device) => `${device}=()`).join(', '),
    });
  };
}

function pageOf(
  { script, style }: ConsoleEntry,
  folder: string,
  { tileUrl, tileAttribution }: ConsolePorts,
): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Soil Batch</title>
<link rel="icon" href="data:,">
${configured('tile-url', tileUrl)}
${configured('tile-attribution', tileAttribution)}
<link rel="stylesheet" href="${folder}${style}">
<script type="module" src="${folder}${script}"></script>
</head>
<body>
<noscript>The console needs JavaScript. The API does not: <a href="${folder}../docs">API reference</a>.</noscript>
</body>
</html>
`.html;
}

/** What the page's script reads of the configuration. */
function configured(name: string, value: string | null): Html | null {
  return value === null ? null : html`<meta name="${name}" content="${value}">`;
}

export const consolePageSpecification: OperationSpecification = {
  tag: 'Service',
  summary: 'Console',
  description:
    'The console as an HTML page: draw or drop fields, see the cost, watch the progress and read the values.',
  parameters: ['ifNoneMatch'],
  response: HTML_PAGE,
  problems: [],
};
