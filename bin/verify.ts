import { runCommand } from './operator/command.ts';
import { runVerify } from './verify/run.ts';

await runCommand('verify', () => runVerify(process.argv.slice(2), process.env), 2);
