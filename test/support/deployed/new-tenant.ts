import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { dynamoApiKeys } from '../../../lambdas/adapters/dynamodb/api-keys.ts';
import { dynamoTenantRecords } from '../../../lambdas/adapters/dynamodb/tenants.ts';
import { timestamp } from '../../../lambdas/domain/clock.ts';
import { issueKey } from '../../../lambdas/domain/tenant/issue-api-key.ts';
import type { TenantLimits } from '../../../lambdas/domain/tenant/tenant.ts';
import { openDeployedTable } from './deployed-table.ts';

/** Adds a tenant whose quota, request rate and slots no other test uses. @returns the tenant's key */
export async function newTenant(name: string, limits: Partial<TenantLimits> = {}): Promise<string> {
  const table = await openDeployedTable(inject('service'));
  const tenant = `${name}-${randomUUID()}`;
  const createdAt = timestamp(table.clock());
  await dynamoTenantRecords(table).create({ tenant, createdAt, disabledAt: null, limits });
  const order = { tenant, name: null, expiresAt: null };
  const { key } = await issueKey({ keys: dynamoApiKeys(table), clock: table.clock }, order);
  return key;
}
