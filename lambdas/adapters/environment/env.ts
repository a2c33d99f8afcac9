import * as z from 'zod/mini';
import { FUNCTION_VARIABLES, type FunctionFile } from './function-variables.ts';
import { schema, type Variable, type Variables } from './variables.ts';

/** What {@link env} returns for a function that reads these variables. */
export type Environment<Name extends Variable> = Readonly<Pick<Variables, Name>>;

/** Of several functions: one of their environments. */
type VariablesOf<File extends FunctionFile> = File extends FunctionFile
  ? Environment<(typeof FUNCTION_VARIABLES)[File][number]>
  : never;

/**
 * Reads the variables of a function, once, when it starts.
 * @throws Error that names the variable that is missing or malformed
 */
export function env<File extends FunctionFile>(file: File): VariablesOf<File> {
  const read = FUNCTION_VARIABLES[file].map((name) => {
    const parsed = schema.shape[name].safeParse(process.env[name]);
    if (!parsed.success) throw new Error(`${name}: ${z.prettifyError(parsed.error)}`);
    return [name, parsed.data];
  });
  return Object.fromEntries(read) as VariablesOf<File>;
}
