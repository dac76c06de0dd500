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
    description: 'Port of the API. 0 picks a free one.',
  },
  host: {
    env: 'HOST',
    type: Type.String({ minLength: 1 }),
    default: '127.0.0.1',
    expected: 'a host name or address',
    description: 'Address the API listens on. Use 0.0.0.0 to be reached from other machines.',
  },
  publicUrl: {
    env: 'SLUICE_PUBLIC_URL',
    type: url,
    expected: urlExpected,
    description: 'Where people and tools reach this service, if not at HOST and PORT.',
  },
  corsOrigins: {
    env: 'SLUICE_CORS_ORIGINS',
    type: Type.Array(Type.Refine(Type.String(), isOrigin), { minItems: 1 }),
    expected: 'origins such as https://example.com, separated by commas',
    description: 'Other sites whose pages may call the API with a bearer token. Without it, none may.',
  },
  mcp: {
    env: 'SLUICE_MCP',
    type: Type.Enum(['off', 'on']),
    default: 'off',
    expected: 'off or on',
    description: 'Whether agents may ask at `/mcp`, by the Model Context Protocol and with an API key. They read.',
  },
  mcpActions: {
    env: 'SLUICE_MCP_ACTIONS',
    type: Type.Enum(['off', 'on']),
    default: 'off',
    expected: 'off or on',
    description:
      'Whether agents at `/mcp` may also release, roll back and start runs, where their key may. Needs SLUICE_MCP.',
  },
  trustedProxies: {
    env: 'SLUICE_TRUSTED_PROXIES',
    type: Type.Array(
      Type.Refine(Type.String(), (value) => isNetwork(value)),
      { minItems: 1 },
    ),
    expected: 'addresses or networks such as 10.0.0.0/8, separated by commas',
    description: 'Proxies in front of the API, whose word on who calls is taken (`x-forwarded-for` and its kin).',
  },
  runnerPort: {
    env: 'SLUICE_RUNNER_PORT',
    type: port,
    expected: portExpected,
    description:
      'A second port of the API, for runners and their steps: `x-forwarded-for` is ignored there, so that no client on the network of a trusted proxy can choose its address.',
  },
  registration: {
    env: 'SLUICE_REGISTRATION',
    type: Type.Enum(['closed', 'open']),
    default: 'closed',
    expected: 'closed or open',
    description: 'Whether anybody may register an organization. The first one who does always may.',
  },
  modulePublishers: {
    env: 'SLUICE_MODULE_PUBLISHERS',
    type: Type.Array(Type.Refine(Type.String(), isServiceAccount), { minItems: 1 }),
    expected: 'ids of service accounts such as sa_…, separated by commas',
    description: 'Service accounts that may publish module definitions to every organization, as superadmins do.',
  },
  sessionIdleHours: {
    env: 'SLUICE_SESSION_IDLE_HOURS',
    type: hours,
    default: 336,
    expected: hoursExpected,
    description: 'How long a session of the console lives without being used.',
  },
  sessionMaxHours: {
    env: 'SLUICE_SESSION_MAX_HOURS',
    type: hours,
    default: 2_160,
    expected: hoursExpected,
    description: 'How long a session of the console lives at most; then people sign in again.',
  },
} as const satisfies Settings
