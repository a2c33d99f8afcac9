import { CANCEL, LIST, STATUS } from './batches.ts';
import type { CommandSpec } from './command-spec.ts';
import { MODELS } from './models.ts';
import { RUN } from './run.ts';
import { DOWNLOAD, ESTIMATE, RETRY, SUBMIT, WATCH } from './steps.ts';
import { TEST, VERIFY } from './webhook.ts';

export const COMMANDS: readonly CommandSpec[] = [
  RUN,
  ESTIMATE,
  SUBMIT,
  WATCH,
  DOWNLOAD,
  RETRY,
  STATUS,
  LIST,
  CANCEL,
  MODELS,
];

export const WEBHOOK_COMMANDS: readonly CommandSpec[] = [VERIFY, TEST];
