/** Origins that the deployment lets read its answers; `any` stands for all. */
export type AllowedOrigins = 'any' | readonly string[];

/** The stage variable `cors_origins`, in which "*" is no allowed character: `any` or a list. */
export function readAllowedOrigins(variable: string | undefined): AllowedOrigins {
  if (variable === 'any') return 'any';
  return (variable ?? '').split(',').filter((origin) => origin !== '');
}
