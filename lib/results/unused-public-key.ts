/**
 * In a new key group, because CloudFormation demands a key there before the service can make one. Nobody has
 * its private key: its x coordinate is the SHA-256 of a text, which test/infra/results-distribution.test.ts
 * computes.
 */
export const UNUSED_PUBLIC_KEY = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEUjyOnw3dvirOuqGJFI5+DyNGbvmo
EtPq8sJSgaNc4r2Z9XxFR/q2I4pWwfFM84GJd40uRxStOjr3KzQxSgdAKA==
-----END PUBLIC KEY-----
`;
