import { Problem } from './problem.ts';
import type { ApiRequest } from './request.ts';
import { methodsOf } from './routes.ts';

/** Answers of operations and their problems: either may come. */
const OFFERED = ['application/json', 'application/problem+json'];

/**
 * Refuses a request whose `Accept` rules out both kinds of JSON (RFC 9110, section 12.5.1), before
 * anything is done for it. Pages and addresses without operation answer as they are.
 * @throws Problem 406
 */
export function requireJsonAcceptable(request: ApiRequest): void {
  const accept = request.header('accept');
  if (accept === null || accept.trim() === '' || !answersJson(request)) return;
  if (OFFERED.some((type) => qualityOf(type, accept) > 0)) return;
  throw new Problem(
    'not-acceptable',
    `Answers are application/json and application/problem+json; the header Accept allows neither: ${JSON.stringify(accept.slice(0, 100))}.`,
  );
}

function answersJson({ method, path }: ApiRequest): boolean {
  return !path.startsWith('/docs') && (methodsOf(path) ?? []).includes(method);
}

/** 0 to 1, by the most specific range that holds the type; 0 where none does. */
function qualityOf(type: string, accept: string): number {
  const [family] = type.split('/');
  const found = accept
    .split(',')
    .map(rangeOf)
    .map(({ range, quality }) => ({
      rank: [`*/*`, `${family}/*`, type].indexOf(range),
      quality,
    }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => b.rank - a.rank);
  return found[0]?.quality ?? 0;
}

function rangeOf(text: string): { readonly range: string; readonly quality: number } {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  // An unreadable weight is no reason to refuse.
  return { range, quality: Number.isNaN(quality) ? 1 : quality };
}
