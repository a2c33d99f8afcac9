import type { DeploymentInfo, ServiceVersion } from '../../specification/deployment-info.ts';
import type { OpenApiDocument } from '../../specification/openapi.ts';

export interface OpenPorts extends ServiceVersion {
  /** Passed in, because the document describes these operations too. */
  readonly document: (info: DeploymentInfo) => OpenApiDocument;
}
