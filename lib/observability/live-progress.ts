import { Duration } from 'aws-cdk-lib';
import { CustomWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Foundation } from '../foundation.ts';
import { showProgress } from '../permissions/background.ts';
import { ServiceFunction } from '../service-function.ts';

export interface LiveProgressProps {
  readonly foundation: Foundation;
}

/**
 * The custom widget that lists running batches. CloudWatch invokes its function with the viewer's
 * permissions, so a viewer needs `lambda:InvokeFunction` on it as well as access to dashboards.
 */
export class LiveProgress extends Construct {
  readonly show: ServiceFunction;

  constructor(scope: Construct, id: string, { foundation }: LiveProgressProps) {
    super(scope, id);
    this.show = new ServiceFunction(this, 'Show', {
      config: foundation.config,
      handler: 'widget/live-progress',
      description: 'Lists running batches on the dashboard',
      access: showProgress(foundation),
      timeout: Duration.seconds(20),
    });
  }

  widget(): CustomWidget {
    return new CustomWidget({
      title: 'Live progress',
      functionArn: this.show.functionArn,
      width: 24,
      height: 12,
      updateOnRefresh: true,
      updateOnResize: false,
      updateOnTimeRangeChange: false,
    });
  }
}
