import type { ApiRequest } from '../requests/request.ts';

/** The version of the deployed service. */
export interface ServiceVersion {
  readonly version: string;
}

export interface DeploymentInfo {
  readonly deployment: 'v1' | 'v2';
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly version: string;
}

/** The deployment that received the request, under the base URL of the request. */
export function deploymentInfoOf(
  { deployment, baseUrl }: ApiRequest,
  version: string,
): DeploymentInfo {
  return { deployment, baseUrl, version };
}
