/** Letters and digits first: a tenant's name stands in keys, contexts and log lines. */
export const TENANT_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** Port to what is known of tenants; one that was never written is an ordinary, enabled one. */
export interface Tenants {
  isDisabled(tenant: string): Promise<boolean>;
}
