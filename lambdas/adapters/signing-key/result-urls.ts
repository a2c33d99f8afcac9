import type { SignedUrl } from '../../domain/job/reading/result-signer.ts';
import type { SigningKey } from '../../domain/signing/signing-key.ts';
import type { KeyKind } from './key-vault.ts';

/** A request for an object of the results bucket. */
export interface SignedRequest {
  /** Must need no escaping, as ids do not. */
  readonly key: string;
  /** ASCII without quotes. */
  readonly fileName: string;
  readonly method: 'GET' | 'HEAD';
  readonly at: Date;
}

/** How URLs of results are signed, for whoever verifies them. Each is valid for `SIGNED_URL_SECONDS`. */
export interface ResultUrls {
  readonly kind: KeyKind;
  signerWith(key: SigningKey): (request: SignedRequest) => Promise<SignedUrl>;
}
