import * as z from 'zod';

/** A URL to which paths are appended. */
export const baseUrl = z.url().regex(/[^/]$/, 'must not end with a slash');
