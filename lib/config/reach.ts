import * as z from 'zod';
import { baseUrl } from './base-url.ts';

const domain = z.strictObject({
  host: z.hostname(),
  /** Of a certificate in the stack's own region, as regional APIs want it. */
  certificateArn: z.string().regex(/^arn:aws[a-z-]*:acm:/, 'must be the ARN of an ACM certificate'),
});

/** Origins whose pages may read the APIs' answers in a browser (CORS). */
export const browsers = {
  corsOrigins: z.union(
    [
      z.literal('any'),
      z.array(
        z
          .string()
          .regex(
            /^https?:\/\/[a-z0-9.-]+(:\d+)?$/,
            'must be an origin, such as https://app.example.com',
          ),
      ),
    ],
    { error: 'must be "any" or a list of origins, such as ["https://app.example.com"]' },
  ),
};

/** Where the APIs are reached, and by whom. */
export const reach = {
  /**
   * Where clients reach the APIs when it is not API Gateway's own address: a custom domain, a proxy.
   * No trailing slash.
   */
  addresses: z.strictObject({ v1: baseUrl, v2: baseUrl }).optional(),
  /** Hosts of one's own for the APIs, in place of API Gateway's; `addresses` follow from them. */
  domains: z
    .strictObject({
      v1: domain,
      v2: domain,
      /** Route 53 zone in which the hosts' records are made; without it they are made by hand. */
      hostedZone: z.strictObject({ id: z.string().min(1), name: z.hostname() }).optional(),
    })
    .optional(),
  /** Networks from which the APIs may be called; without it, from anywhere. */
  allowedNetworks: z
    .array(z.union([z.cidrv4(), z.cidrv6()], { error: 'must be a network, such as 192.0.2.0/24' }))
    .min(1)
    .optional(),
  /** A web ACL before the APIs. Charged by the rule and the request. */
  firewall: z.enum(['off', 'on']),
};
