import type { Edition, ServiceVersion } from '../../specification/edition.ts';
import type { OpenApiDocument } from '../../specification/openapi.ts';

export interface OpenPorts extends ServiceVersion {
  /** Passed in, because the document describes these operations too. */
  readonly document: (edition: Edition) => OpenApiDocument;
}
