import { isHostName, isNetwork } from '@sluice/outbound/addresses'
import Type from 'typebox'
import { type Settings, url, urlExpected } from './kinds.ts'

/** Addresses of the cloud, the IaC tools and destinations of pipelines. */
export const outsideSettings = {
  cloudEndpoint: {
    env: 'SLUICE_CLOUD_ENDPOINT',
    envFallback: 'AWS_ENDPOINT_URL',
    type: url,
    expected: urlExpected,
    description: 'Address for all calls of the cloud, such as a simulated cloud.',
  },
  iacToolsDir: {
    env: 'SLUICE_IAC_TOOLS_DIR',
    type: Type.String({ minLength: 1 }),
    expected: 'a path',
    description:
      'Directory with more versions of OpenTofu and Terraform, as `<tool>/<version>/<tool>`, besides those on the PATH.',
  },
  iacCliConfig: {
    env: 'SLUICE_IAC_CLI_CONFIG',
    type: Type.String({ minLength: 1 }),
    expected: 'a path',
    description: 'CLI configuration file for OpenTofu and Terraform, for example with provider mirrors.',
  },
  connectTemplateUrl: {
    env: 'SLUICE_CONNECT_TEMPLATE_URL',
    type: url,
    expected: urlExpected,
    description:
      'CloudFormation template in an S3 bucket that creates the role that Sluice assumes. Without it, connection links have no url.',
  },
  outboundAllow: {
    env: 'SLUICE_OUTBOUND_ALLOW',
    type: Type.Array(
      Type.Refine(Type.String(), (value) => isNetwork(value) || isHostName(value)),
      { minItems: 1 },
    ),
    expected: 'host names, addresses or networks such as 10.0.0.0/8, separated by commas',
    description: 'Private hosts and networks that Sluice may send requests to, besides the public internet.',
  },
  smtpUrl: {
    env: 'SLUICE_SMTP_URL',
    isSecret: true,
    type: Type.Refine(Type.String(), (value) => /^smtps?:\/\/[^\s/]+/.test(value) && URL.canParse(value)),
    expected: 'an address such as smtps://user:password@mail.example.com:465',
    description: 'SMTP server for email notifications. Without it, Sluice sends no email.',
  },
  mailFrom: {
    env: 'SLUICE_MAIL_FROM',
    type: Type.String({ pattern: '^([^<>@\\r\\n]*<[^\\s<>@]+@[^\\s<>@]+>|[^\\s<>@]+@[^\\s<>@]+)$' }),
    expected: 'an address such as sluice@example.com or Sluice <sluice@example.com>',
    description: 'Sender of emails.',
  },
} as const satisfies Settings
