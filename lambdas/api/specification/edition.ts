import type { ApiRequest } from '../http/request.ts';

/** The version of the deployed service. */
export interface ServiceVersion {
  readonly version: string;
}

export interface Edition {
  readonly deployment: 'v1' | 'v2';
  /** Where this deployment stands, without a trailing slash. */
  readonly baseUrl: string;
  readonly version: string;
}

/** The deployment that was asked, at the address it was asked at. */
export function editionFor({ deployment, baseUrl }: ApiRequest, version: string): Edition {
  return { deployment, baseUrl, version };
}
