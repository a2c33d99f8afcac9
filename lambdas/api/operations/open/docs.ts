import type { Operation } from '../../http/handle.ts';
import { htmlPage } from '../../http/page.ts';
import { asHtml } from '../../specification/as-html.ts';
import { deploymentInfoOf } from '../../specification/deployment-info.ts';
import { HTML_PAGE } from '../../specification/html-page.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import { referenceOf } from '../../specification/reference.ts';
import type { OpenPorts } from './open-ports.ts';

export function docsOperation({ version, document }: OpenPorts): Operation {
  return async (request) => {
    const described = document(deploymentInfoOf(request, version));
    return htmlPage(request, described.info.title, asHtml(referenceOf(described)));
  };
}

export const docsSpecification: OperationSpecification = {
  tag: 'Service',
  summary: 'API reference',
  description: 'This reference as an HTML page.',
  parameters: ['ifNoneMatch'],
  response: HTML_PAGE,
  problems: [],
};
