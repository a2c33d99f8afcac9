import type { Endpoints } from '../definition.ts';
import {
  consoleAssetDefinition,
  consoleAssetOperation,
  consoleDefinition,
  consolePageOperation,
} from '../endpoints/console.ts';
import {
  docsDefinition,
  docsOperation,
  openApiOperation,
  openapiDefinition,
  problemPageDefinition,
  problemPageOperation,
  rootDefinition,
  rootOperation,
} from '../endpoints/docs.ts';
import { healthDefinition, healthOperation } from '../endpoints/health.ts';

/** The endpoints that the function `open` serves. */
export const OPEN_ENDPOINTS = {
  root: [rootDefinition, rootOperation],
  health: [healthDefinition, healthOperation],
  openapi: [openapiDefinition, openApiOperation],
  docs: [docsDefinition, docsOperation],
  'problem-page': [problemPageDefinition, problemPageOperation],
  console: [consoleDefinition, consolePageOperation],
  'console-asset': [consoleAssetDefinition, consoleAssetOperation],
} as const satisfies Endpoints<'open'>;
