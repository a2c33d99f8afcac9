/** A response with its body as exact text and as JSON (undefined if it is not JSON). */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}
