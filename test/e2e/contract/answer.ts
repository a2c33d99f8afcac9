/** One HTTP exchange, with the body both as the exact text and as JSON (undefined if it is none). */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}
