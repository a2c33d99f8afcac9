import project from '../../cdk.json' with { type: 'json' };

/** Which of an account's CDK bootstraps deploys the service: a stack, whose roles have its qualifier. */
export interface Bootstrap {
  readonly qualifier: string;
  readonly stack: string;
}

/** The CDK's own, which all CDK applications of an account and region share unless they have another. */
const SHARED: Bootstrap = { qualifier: 'hnb659fds', stack: 'CDKToolkit' };

/** @param context of `cdk.json`, where the CDK reads the qualifier */
export function bootstrapOf(context: Readonly<Record<string, unknown>>): Bootstrap {
  const qualifier = context['@aws-cdk/core:bootstrapQualifier'];
  if (typeof qualifier !== 'string' || qualifier === SHARED.qualifier) return SHARED;
  // As docs/aws.md names it.
  return { qualifier, stack: `${SHARED.stack}-${qualifier}` };
}

export const BOOTSTRAP = bootstrapOf(project.context);
