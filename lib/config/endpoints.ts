import * as z from 'zod';

/**
 * A URL to which paths are appended. It must fit into a stage variable, which has at most 512 of the characters below.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
export const baseUrl = z
  .url()
  .regex(
    /^https?:\/\/[\w.~:/-]*$/,
    'must be an http or https URL that contains only letters, digits and _.~:/-',
  )
  .regex(/[^/]$/, 'must not end with a slash')
  .max(400);

const domain = z.strictObject({
  host: z.hostname(),
  /** A certificate in the stack's Region, which regional APIs require. */
  certificateArn: z
    .string()
    .regex(
      /^arn:aws:acm:[\w-]+:\d{12}:certificate\/[\w-]{1,64}$/,
      'must be the ARN of an ACM certificate',
    ),
});

const tileUrl = z
  .string()
  .regex(
    /^https:\/\/[a-z0-9.-]+(:\d+)?\/[^\s;,'"]*\{z\}[^\s;,'"]*$/,
    'must be a template, such as https://tiles.example.com/{z}/{x}/{y}.png',
  )
  .refine((url) => URL.canParse(url) && url.includes('{x}') && /\{-?y\}/.test(url), {
    error: 'must be a URL with {x}, {y} (or {-y}) and {z}',
  });

/** The backgrounds are one of a function's variables, which have at most 4 KB in total. */
const BACKGROUNDS_BYTES = 2_500;

/**
 * A stage variable has at most 512 characters; `corsOrigins` is one, joined by commas.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const CORS_CHARACTERS = 512;

/**
 * A resource policy has at most 8,192 bytes, of which 1,192 are for everything except networks.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const NETWORKS_CHARACTERS = 7_000;

export const cors = {
  corsOrigins: z.union(
    [
      z.literal('any'),
      z
        .array(
          z
            .string()
            .regex(
              /^https?:\/\/[a-z0-9.-]+(:\d+)?$/,
              'must be an origin, such as https://app.example.com',
            ),
        )
        .refine((origins) => origins.join().length <= CORS_CHARACTERS, {
          error: `must have at most ${CORS_CHARACTERS} characters in total, which is API Gateway's limit; list fewer origins or set "any"`,
        }),
    ],
    { error: 'must be "any" or a list of origins, such as ["https://app.example.com"]' },
  ),
};

export const endpoints = {
  /** The base URLs that clients use if a proxy is in front of API Gateway, without a trailing slash. */
  baseUrls: z.strictObject({ v1: baseUrl, v2: baseUrl }).optional(),
  domains: z
    .strictObject({
      v1: domain,
      v2: domain,
      /** Route 53 zone for the DNS records; without it, create them by hand. */
      hostedZone: z.strictObject({ id: z.string().min(1).max(32), name: z.hostname() }).optional(),
    })
    .optional(),
  /** Networks that may call the APIs; without this key, every network may. */
  allowedNetworks: z
    .array(z.union([z.cidrv4(), z.cidrv6()], { error: 'must be a network, such as 192.0.2.0/24' }))
    .min(1)
    .refine((networks) => JSON.stringify(networks).length <= NETWORKS_CHARACTERS, {
      error: `must have at most ${NETWORKS_CHARACTERS} characters as JSON, because a resource policy has at most 8,192 bytes; merge networks`,
    })
    .optional(),
  console: z.strictObject({
    /** Maps that people may switch on below their fields. Their servers then learn which region is viewed. */
    backgrounds: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(40),
          url: tileUrl,
          /** The plain-text attribution on the map that its provider requires. */
          attribution: z.string().min(1).max(200),
          /** The largest zoom level that has tiles; closer in, tiles are enlarged. */
          maxZoom: z.int().min(0).max(24),
        }),
      )
      .max(4)
      .refine(
        (backgrounds) => new Set(backgrounds.map(({ name }) => name)).size === backgrounds.length,
        {
          error: 'must have different names',
        },
      )
      .refine(
        (backgrounds) => Buffer.byteLength(JSON.stringify(backgrounds)) <= BACKGROUNDS_BYTES,
        { error: `must have at most ${BACKGROUNDS_BYTES} bytes as JSON` },
      ),
  }),
  /** A web ACL for the APIs, with a limit per IP address. AWS charges per rule and request. */
  firewall: z.enum(['off', 'on']),
};
