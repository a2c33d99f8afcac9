import { afterAll } from 'vitest';
import { dynamoStores } from '../../../lambdas/adapters/dynamodb/stores.ts';
import { obtainEmulator } from '../../../local/emulator/emulator.ts';
import { createStateTable } from '../../support/deployed/state-table.ts';
import { storesContract } from '../../support/stores/stores-contract.ts';

const dynamodb = await obtainEmulator();
const table = await createStateTable(dynamodb.endpointUrl, dynamodb.region);

afterAll(() => dynamodb.stop());

storesContract('DynamoDB', dynamoStores(table), 3);
