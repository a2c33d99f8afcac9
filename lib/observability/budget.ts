import { Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';
import type { StageConfig } from '../config/stage-config.ts';

const THRESHOLDS = [80, 100] as const;

export interface BudgetProps {
  readonly budget: NonNullable<StageConfig['budget']>;
}

/**
 * Reports what the whole account costs. A budget for the service's tag would report nothing until somebody activates
 * the tag for billing. https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/activating-tags.html
 */
export class Budget extends Construct {
  constructor(scope: Construct, id: string, { budget: { dollarsAMonth, email } }: BudgetProps) {
    super(scope, id);
    new CfnBudget(this, 'Costs', {
      budget: {
        // The deployment policy allows only a budget with this name.
        budgetName: Stack.of(this).stackName,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: dollarsAMonth, unit: 'USD' },
      },
      notificationsWithSubscribers: THRESHOLDS.map((threshold) => ({
        notification: {
          notificationType: 'ACTUAL',
          comparisonOperator: 'GREATER_THAN',
          thresholdType: 'PERCENTAGE',
          threshold,
        },
        subscribers: [{ subscriptionType: 'EMAIL', address: email }],
      })),
    });
  }
}
