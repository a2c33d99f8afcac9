import { notTheServiceError } from './soil-error.ts';

/** Far above the 6 MB that Lambda returns at most (AWS Lambda quotas), because the body may be compressed. */
const MOST_BYTES = 64_000_000;

/** @throws SoilError if the body has more than `mostBytes`, because an endless body would fill the memory */
export async function readText(
  request: string,
  { body, status }: Response,
  mostBytes: number = MOST_BYTES,
): Promise<string> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  if (reader === undefined) return '';
  let text = '';
  for (let left = mostBytes; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    left -= value.length;
    if (left < 0) {
      await reader.cancel().catch(() => {});
      throw notTheServiceError(
        `${request}: the response did not come from the service: it has more than ${mostBytes} bytes.`,
        { status },
      );
    }
    text += decoder.decode(value, { stream: true });
  }
}
