/** Origins whose pages may read responses of this deployment; `any` is every origin. */
export type AllowedOrigins = 'any' | readonly string[];

/** The stage variable `cors_origins`: `any` or a comma-separated list, because a stage variable can't contain "*". */
export function readAllowedOrigins(variable: string | undefined): AllowedOrigins {
  if (variable === 'any') return 'any';
  return (variable ?? '').split(',').filter((origin) => origin !== '');
}
