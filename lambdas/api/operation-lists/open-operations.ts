import type { OperationsOf } from '../definition.ts';
import {
  consoleAssetDefinition,
  consoleAssetOperation,
  consoleDefinition,
  consolePageOperation,
} from '../operations/console.ts';
import {
  docsDefinition,
  docsOperation,
  openApiOperation,
  openapiDefinition,
  problemPageDefinition,
  problemPageOperation,
  rootDefinition,
  rootOperation,
} from '../operations/docs.ts';
import { healthDefinition, healthOperation } from '../operations/health.ts';

export const OPEN_OPERATIONS = {
  root: [rootDefinition, rootOperation],
  health: [healthDefinition, healthOperation],
  openapi: [openapiDefinition, openApiOperation],
  docs: [docsDefinition, docsOperation],
  'problem-page': [problemPageDefinition, problemPageOperation],
  console: [consoleDefinition, consolePageOperation],
  'console-asset': [consoleAssetDefinition, consoleAssetOperation],
} as const satisfies OperationsOf<'open'>;
