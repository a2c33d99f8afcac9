import * as z from 'zod';

/** An address to which a path is added. */
export const baseUrl = z.url().regex(/[^/]$/, 'must not end with a slash');
