import * as z from 'zod/mini';
import { time } from '../../domain/wire.ts';
import { named } from '../specification/published.ts';
import { MAX_VIOLATIONS } from './first-violations.ts';

/** RFC 9457; `pointer` is a JSON pointer into the body, or a slash and a parameter's name. */
export const problemBody = z.strictObject({
  type: z.url().check(z.describe('The page that explains this kind of problem')),
  title: z.string().check(z.minLength(1)),
  status: z.int().check(z.minimum(400), z.maximum(599)),
  detail: z.string().check(z.minLength(1)),
  instance: z.string().check(z.regex(/^\//), z.describe('The path of the request')),
  request_id: z
    .string()
    .check(z.minLength(1), z.describe('Identifies the request in the service’s logs')),
  errors: z.optional(
    z
      .array(
        z.strictObject({
          pointer: z
            .string()
            .check(
              z.describe(
                'JSON pointer (RFC 6901) into the body; for a parameter, `/` and its name',
              ),
            ),
          message: z
            .string()
            .check(
              z.minLength(1),
              z.describe('What is wrong, what is allowed, and what was received'),
            ),
        }),
      )
      .check(z.minLength(1), z.maxLength(MAX_VIOLATIONS)),
  ),
  results_expired_at: z.optional(time).check(z.describe('Only of `results-expired`')),
});

/** Errors of the gateway itself have no `instance`, because it can't escape the path for JSON. */
export const publishedProblem = named('Problem', z.partial(problemBody, { instance: true }));
