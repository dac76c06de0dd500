import { isNetwork } from '@sluice/outbound/addresses'
import Type from 'typebox'
import {
  hours,
  hoursExpected,
  isOrigin,
  isServiceAccount,
  port,
  portExpected,
  type Settings,
  url,
  urlExpected,
} from './kinds.ts'

/** Settings of the API: address and callers. */
export const interfaceSettings = {
  port: {
    env: 'PORT',
    type: port,
    default: 4600,
    expected: portExpected,
    description: 'Port of the API. 0 selects a free port.',
  },
  host: {
    env: 'HOST',
    type: Type.String({ minLength: 1 }),
    default: '127.0.0.1',
    expected: 'a host name or address',
    description: 'Address that the API listens on. Use 0.0.0.0 to accept connections from other machines.',
  },
  publicUrl: {
    env: 'SLUICE_PUBLIC_URL',
    type: url,
    expected: urlExpected,
    description: 'URL of this service for users and tools, if it differs from HOST and PORT.',
  },
  corsOrigins: {
    env: 'SLUICE_CORS_ORIGINS',
    type: Type.Array(Type.Refine(Type.String(), isOrigin), { minItems: 1 }),
    expected: 'origins such as https://example.com, separated by commas',
    description: 'Origins of other websites that may call the API with a bearer token. None by default.',
  },
  mcp: {
    env: 'SLUICE_MCP',
    type: Type.Enum(['off', 'on']),
    default: 'off',
    expected: 'off or on',
    description: 'Enables the read-only MCP endpoint `/mcp` for AI agents, which authenticate with an API key.',
  },
  mcpActions: {
    env: 'SLUICE_MCP_ACTIONS',
    type: Type.Enum(['off', 'on']),
    default: 'off',
    expected: 'off or on',
    description:
      'Also lets agents at `/mcp` release, roll back and start runs, as their API key permits. Requires SLUICE_MCP.',
  },
  trustedProxies: {
    env: 'SLUICE_TRUSTED_PROXIES',
    type: Type.Array(
      Type.Refine(Type.String(), (value) => isNetwork(value)),
      { minItems: 1 },
    ),
    expected: 'addresses or networks such as 10.0.0.0/8, separated by commas',
    description: 'Proxies in front of the API whose `x-forwarded-…` headers are trusted.',
  },
  runnerPort: {
    env: 'SLUICE_RUNNER_PORT',
    type: port,
    expected: portExpected,
    description:
      'Second port of the API for runners and their steps. It ignores `x-forwarded-for`, so that a step on the network of a trusted proxy cannot forge its address.',
  },
  registration: {
    env: 'SLUICE_REGISTRATION',
    type: Type.Enum(['closed', 'open']),
    default: 'closed',
    expected: 'closed or open',
    description: 'Whether anyone can register an organization. The first organization can always be registered.',
  },
  modulePublishers: {
    env: 'SLUICE_MODULE_PUBLISHERS',
    type: Type.Array(Type.Refine(Type.String(), isServiceAccount), { minItems: 1 }),
    expected: 'ids of service accounts such as sa_…, separated by commas',
    description: 'Service accounts that can publish module definitions for all organizations, as superadmins can.',
  },
  sessionIdleHours: {
    env: 'SLUICE_SESSION_IDLE_HOURS',
    type: hours,
    default: 336,
    expected: hoursExpected,
    description: 'Hours until an unused console session expires.',
  },
  sessionMaxHours: {
    env: 'SLUICE_SESSION_MAX_HOURS',
    type: hours,
    default: 2_160,
    expected: hoursExpected,
    description: 'Maximum duration of a console session in hours. Then users must sign in again.',
  },
} as const satisfies Settings
