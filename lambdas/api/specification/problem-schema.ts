import * as z from 'zod/mini';
import { MAX_VIOLATIONS } from '../contract/first-violations.ts';
import { named } from './published.ts';

/** RFC 9457; `pointer` is a JSON pointer into the body, or a slash and a parameter's name. */
export const problemBody = z.strictObject({
  type: z.url().check(z.describe('The page that explains this kind of problem')),
  title: z.string().check(z.minLength(1)),
  status: z.int().check(z.minimum(400), z.maximum(599)),
  detail: z.string().check(z.minLength(1)),
  instance: z.string().check(z.regex(/^\//), z.describe('The path asked for')),
  request_id: z
    .string()
    .check(z.minLength(1), z.describe('Finds the request in the service’s logs')),
  errors: z.optional(
    z
      .array(
        z.strictObject({
          pointer: z
            .string()
            .check(
              z.describe('JSON pointer (RFC 6901) into the body; of a parameter `/` and its name'),
            ),
          message: z
            .string()
            .check(z.minLength(1), z.describe('What is wrong, what is allowed, and what came')),
        }),
      )
      .check(z.minLength(1), z.maxLength(MAX_VIOLATIONS)),
  ),
});

/** The gateway's own errors have no `instance`: it can't write the path safely into JSON. */
export const publishedProblem = named('Problem', z.partial(problemBody, { instance: true }));
