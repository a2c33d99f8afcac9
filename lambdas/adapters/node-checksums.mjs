// Stands in bundles for `@smithy/core/checksum`, which carries SHA-256 written in JavaScript for
// platforms without one. Node's loader never reads this file, only a bundler: hence the paths.
import { createHash, createHmac } from 'node:crypto';

export * from '../../node_modules/@smithy/core/dist-es/submodules/checksum/index.js';

/** By the interface `Checksum` of `@smithy/types`; keyed, when it is given a secret. */
export class Sha256 {
  constructor(secret) {
    this.secret = secret;
    this.reset();
  }

  update(data) {
    this.hash.update(data);
  }

  async digest() {
    return new Uint8Array(this.hash.digest());
  }

  reset() {
    this.hash = this.secret ? createHmac('sha256', bytesOf(this.secret)) : createHash('sha256');
  }
}

function bytesOf(secret) {
  if (typeof secret === 'string') return secret;
  return ArrayBuffer.isView(secret)
    ? Buffer.from(secret.buffer, secret.byteOffset, secret.byteLength)
    : Buffer.from(secret);
}
