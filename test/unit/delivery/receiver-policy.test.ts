import { describe, expect, it } from 'vitest';
import {
  type ReceiverPolicy,
  refuseAddress,
  refuseReceiver,
} from '../../../lambdas/domain/delivery/receiver-policy.ts';

const PUBLIC: ReceiverPolicy = {
  schemes: ['https'],
  ports: [443, 8443],
  privateReceivers: 'refuse',
};
const LOCAL: ReceiverPolicy = {
  schemes: ['https', 'http'],
  ports: 'any',
  privateReceivers: 'allow',
};

describe('a receiver in a deployment for the public internet', () => {
  it.each([
    'https://example.org/hooks?id=1',
    'https://example.org:8443/',
    'https://example.org:443/',
    'https://93.184.215.14/hook',
    'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/hook',
    'https://localhost.example.org/',
    'https://local.example.org./',
    'https://mylan.example/',
    'https://notlocal.lan.example/',
  ])('is accepted: %s', (url) => {
    expect(refuseReceiver(url, PUBLIC)).toBeNull();
  });

  it.each([
    ['a loopback address', 'https://127.0.0.1/', 'loopback'],
    ['loopback as a single decimal number', 'https://2130706433/', 'loopback'],
    ['loopback in octal', 'https://0177.0.0.1/', 'loopback'],
    ['loopback in hexadecimal', 'https://0x7f000001/', 'loopback'],
    ['loopback with parts left out', 'https://127.1/', 'loopback'],
    ['loopback with a final dot', 'https://127.0.0.1./', 'loopback'],
    ['loopback in full-width digits', 'https://１２７.0.0.1/', 'loopback'],
    ['IPv6 loopback', 'https://[::1]/', 'loopback'],
    ['IPv4-mapped loopback', 'https://[::ffff:127.0.0.1]/', 'ipv4mapped'],
    ['IPv4-mapped in hexadecimal', 'https://[::ffff:7f00:1]/', 'ipv4mapped'],
    ['IPv4-compatible IPv6', 'https://[::127.0.0.1]/', 'not globally routed'],
    ['this network', 'https://0.0.0.0/', 'unspecified'],
    ['any other address in 0.0.0.0/8', 'https://0.1.2.3/', 'unspecified'],
    ['RFC 1918, class A', 'https://10.0.0.8/', 'private'],
    ['RFC 1918, class B', 'https://172.31.255.255/', 'private'],
    ['RFC 1918, class C', 'https://192.168.1.1/', 'private'],
    ['carrier-grade NAT', 'https://100.64.0.1/', 'carrier'],
    ['the instance metadata service', 'https://169.254.169.254/latest/', 'metadata service'],
    ['the metadata service by IPv6', 'https://[fd00:ec2::254]/', 'metadata service'],
    ['the metadata service as a number', 'https://2852039166/', 'metadata service'],
    ['any other link-local address', 'https://169.254.1.1/', 'link local'],
    ['IPv6 link-local', 'https://[fe80::1]/', 'link local'],
    ['IPv4 multicast', 'https://224.0.0.1/', 'multicast'],
    ['IPv6 multicast', 'https://[ff02::1]/', 'multicast'],
    ['broadcast', 'https://255.255.255.255/', 'broadcast'],
    ['NAT64 of a private address', 'https://[64:ff9b::10.0.0.1]/', 'rfc6052'],
    ['local-use NAT64', 'https://[64:ff9b:1::10.0.0.1]/', 'rfc6052'],
    ['6to4 of a private address', 'https://[2002:a00:1::]/', '6to4'],
    ['Teredo', 'https://[2001::1]/', 'teredo'],
    ['documentation addresses', 'https://192.0.2.1/', 'reserved'],
    ['localhost', 'https://localhost/', 'private network'],
    ['LOCALHOST with a final dot', 'https://LOCALHOST./', 'private network'],
    ['a name under localhost', 'https://api.localhost/', 'private network'],
    ['a multicast DNS name', 'https://printer.local/', 'private network'],
    ["a name in a home router's zone", 'https://nas.lan/', 'private network'],
    ['a name of a home network', 'https://nas.home.arpa/', 'private network'],
    ['home.arpa itself', 'https://home.arpa/', 'private network'],
    ['a name with a single label', 'https://intranet/', 'private network'],
    ['a name with a single label and a final dot', 'https://intranet./', 'private network'],
    ['a private name with final dots', 'https://db.internal../', 'private network'],
    ['a name for internal use', 'https://metadata.google.internal/', 'private network'],
  ])('is rejected: %s', (_case, url, why) => {
    expect(refuseReceiver(url, PUBLIC)).toContain(why);
  });

  it.each([
    ['http', 'http://example.org/', /\bhttp;.* https$/],
    ['another scheme', 'file:///etc/passwd', /\bfile;.* https$/],
    ['credentials', 'https://user:secret@example.org/', /credentials/],
    ['a port that is not allowed', 'https://example.org:22/', /\b22;.* 443, 8443$/],
    ['port 0', 'https://example.org:0/', /\b0;.* 443, 8443$/],
    ['a user without a password', 'https://user@example.org/', /credentials/],
    ['text that is not a URL', 'example.org/hook', /\bURL$/],
    ['an IPv6 zone', 'https://[fe80::1%25eth0]/', /\bURL$/],
  ])('is rejected because of %s', (_case, url, why) => {
    expect(refuseReceiver(url, PUBLIC)).toMatch(why);
  });

  it('is quoted without its password', () => {
    expect(refuseReceiver('https://user:secret@example.org/', PUBLIC)).not.toContain('secret');
  });
});

describe('a URL without a port', () => {
  const webPorts = { ...PUBLIC, schemes: ['https', 'http'], ports: [443] } as const;

  it('has the default port of its scheme', () => {
    expect(refuseReceiver('https://example.org/', webPorts)).toBeNull();
    expect(refuseReceiver('http://example.org/', webPorts)).toMatch(/\b80;.* 443$/);
    expect(refuseReceiver('http://example.org/', { ...webPorts, ports: [80] })).toBeNull();
  });
});

describe('the ports for web receivers', () => {
  const web = { ...PUBLIC, schemes: ['https', 'http'], ports: 'web' } as const;

  it.each([80, 443, 1_024, 8_080, 65_535])('include %d', (port) => {
    expect(refuseReceiver(`http://example.org:${port}/`, web)).toBeNull();
  });

  it.each([0, 22, 25, 81, 1_023])('exclude %d', (port) => {
    expect(refuseReceiver(`http://example.org:${port}/`, web)).toMatch(
      new RegExp(`\\b${port};.* 80, 443 .*1024`),
    );
  });
});

describe('a receiver in a local deployment', () => {
  it.each([
    'http://127.0.0.1:8080/',
    'http://localhost:8080/',
    'http://[::1]/',
    'http://10.0.0.8/',
  ])('may be %s', (url) => {
    expect(refuseReceiver(url, LOCAL)).toBeNull();
  });

  it.each(['http://intranet/', 'http://nas.local:8080/'])('may have a private name: %s', (url) => {
    expect(refuseReceiver(url, LOCAL)).toBeNull();
  });

  it.each([
    'http://169.254.169.254/',
    'http://169.254.170.2/v2/credentials/',
    'http://[fd00:ec2::254]/',
    'http://[fd00:0ec2:0:0::0254]/',
    'http://[fd20:ce::254]/',
    'http://100.100.100.200/',
  ])('is rejected if it is a metadata service: %s', (url) => {
    expect(refuseReceiver(url, LOCAL)).toContain('metadata service');
  });
});

describe('a resolved address', () => {
  it('is checked like an address in the URL', () => {
    expect(refuseAddress('10.1.2.3', PUBLIC)).toContain('private');
    expect(refuseAddress('::ffff:10.1.2.3', PUBLIC)).toContain('ipv4mapped');
    expect(refuseAddress('93.184.215.14', PUBLIC)).toBeNull();
  });

  it('must not be a metadata service, not even with a zone or mapped to IPv6', () => {
    expect(refuseAddress('fd00:ec2::254%eth0', LOCAL)).toContain('metadata service');
    expect(refuseAddress('::ffff:169.254.169.254', LOCAL)).not.toBeNull();
    expect(refuseAddress('fd00:ec2::255', LOCAL)).toBeNull();
  });

  it('is rejected if it is not an IP address', () => {
    expect(refuseAddress('fe80::1%eth0', PUBLIC)).not.toBeNull();
    expect(refuseAddress('example.org', PUBLIC)).toContain('not an IP address');
  });
});
