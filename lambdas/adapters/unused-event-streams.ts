/**
 * Stands in bundles for the SDK's event streams (`@smithy/core/event-streams`), which no call of
 * this service has, and which every client carries: a twentieth of an operation's code.
 */
export function resolveEventStreamSerdeConfig<Config>(config: Config): Config {
  return config;
}

export function eventStreamSerdeProvider(): never {
  throw new Error('event streams are left out of the bundle');
}

export const EventStreamSerde = eventStreamSerdeProvider;
