#!/usr/bin/env node
import { runCli } from './commands/program.ts';
import { processHost } from './process-host.ts';

process.exitCode = await runCli(process.argv.slice(2), processHost(undefined));
