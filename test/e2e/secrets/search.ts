import { encodingsOf } from './encodings.ts';
import type { StoredBytes } from './stored-bytes.ts';

export async function searchSecrets(
  secrets: readonly string[],
  sources: AsyncIterable<StoredBytes> | Iterable<StoredBytes>,
) {
  const encodings = secrets.flatMap((secret) =>
    encodingsOf(secret).map((encoding) => ({ secret, ...encoding })),
  );
  const seen = new Map<StoredBytes['kind'], number>();
  const found: {
    readonly kind: StoredBytes['kind'];
    readonly where: string;
    readonly form: string;
  }[] = [];
  for await (const { kind, where, bytes } of sources) {
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    for (const form of encodings) {
      if (bytes.includes(form.bytes)) found.push({ kind, where, form: form.name });
    }
  }
  return { seen, found };
}
