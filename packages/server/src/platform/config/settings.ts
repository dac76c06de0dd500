import { isIP } from 'node:net'
import { retentionDays } from '@sluice/contract'
import Type, { type Static, type TSchema } from 'typebox'

/** One thing an operator can set. In the configuration file its name is its key in `settings`. */
export interface Setting {
  env: string
  /** An environment variable that is read where `env` is not set. */
  envFallback?: string
  /** Secrets have no flag, since other users of the machine can read those, and never appear in a message. */
  isSecret?: true
  type: TSchema
  default?: unknown
  /** What `type` asks for, as the end of "expected …". */
  expected: string
  description: string
}

const port = Type.Integer({ minimum: 0, maximum: 65_535 })
const portExpected = 'a port number from 0 to 65535'
const url = Type.Refine(Type.String(), (value) => /^https?:\/\//.test(value) && URL.canParse(value))
const urlExpected = 'a URL that begins with http:// or https://'
const isIssuer = (value: string) =>
  /^(https:\/\/[^\s?#@]+|http:\/\/(127\.0\.0\.1|localhost)(:\d+)?(\/[^\s?#@]*)?)$/.test(value) && URL.canParse(value)
const issuer = Type.Refine(Type.String(), isIssuer)
const isOrigin = (value: string) => /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value
const origin = Type.Refine(Type.String(), isOrigin)
const originExpected = 'an address such as https://git.example.com, without a path'
/** An address, or one with the length of the network's prefix. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  return (
    version > 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)))
  )
}

const isHostName = (text: string): boolean => /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text)

const milliseconds = Type.Integer({ minimum: 10, maximum: 86_400_000 })
const hours = Type.Integer({ minimum: 1, maximum: 8_760 })
const hoursExpected = 'a whole number of hours from 1 to 8760'
const millisecondsExpected = 'a whole number of milliseconds from 10 to 86400000'

const bytes = Type.Integer({ minimum: 65_536, maximum: 1_073_741_824 })
const bytesExpected = 'a whole number of bytes from 65536 to 1073741824'

const atMost = Type.Integer({ minimum: 1, maximum: 1_000_000 })
const atMostExpected = 'a whole number from 1 to 1000000'

/**
 * Every setting there is. The reference in the documentation and the help of `sluice serve` are made from this table.
 */
export const settings = {
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
  trustedProxies: {
    env: 'SLUICE_TRUSTED_PROXIES',
    type: Type.Array(
      Type.Refine(Type.String(), (value) => isNetwork(value)),
      { minItems: 1 },
    ),
    expected: 'addresses or networks such as 10.0.0.0/8, separated by commas',
    description: 'Proxies in front of the API, whose word on who calls is taken (`x-forwarded-for` and its kin).',
  },
  registration: {
    env: 'SLUICE_REGISTRATION',
    type: Type.Enum(['closed', 'open']),
    default: 'closed',
    expected: 'closed or open',
    description: 'Whether anybody may register an organization. The first one who does always may.',
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
  oidcIssuer: {
    env: 'SLUICE_OIDC_ISSUER',
    type: issuer,
    expected: 'the https:// address of an OpenID Connect provider, as it names itself',
    description: 'The identity provider that people of all organizations may sign in at.',
  },
  oidcClientId: {
    env: 'SLUICE_OIDC_CLIENT_ID',
    type: Type.String({ minLength: 1 }),
    expected: 'what that provider calls this service',
    description: 'What that provider calls this service.',
  },
  oidcClientSecret: {
    env: 'SLUICE_OIDC_CLIENT_SECRET',
    isSecret: true,
    type: Type.String({ minLength: 1 }),
    expected: 'the secret of that client',
    description: 'The secret of that client.',
  },
  oidcName: {
    env: 'SLUICE_OIDC_NAME',
    type: Type.String({ minLength: 1, maxLength: 60 }),
    default: 'single sign-on',
    expected: 'a name of at most 60 characters',
    description: 'What the sign-in page calls that provider.',
  },
  oidcDomains: {
    env: 'SLUICE_OIDC_DOMAINS',
    type: Type.Array(
      Type.Refine(Type.String(), (value) => isHostName(value)),
      { minItems: 1 },
    ),
    expected: 'domains such as example.com, separated by commas',
    description: 'Domains of the email addresses that it may speak for.',
  },
  oidcOrganization: {
    env: 'SLUICE_OIDC_ORGANIZATION',
    type: Type.String({ minLength: 1 }),
    expected: 'the givenId of an organization',
    description:
      'The organization that people become members of by signing in there. Without it, members alone sign in.',
  },
  oidcGroupsClaim: {
    env: 'SLUICE_OIDC_GROUPS_CLAIM',
    type: Type.String({ minLength: 1 }),
    default: 'groups',
    expected: 'the name of a claim',
    description: 'The claim that holds the groups of a person.',
  },
  oidcGroupRoles: {
    env: 'SLUICE_OIDC_GROUP_ROLES',
    type: Type.Array(Type.String({ pattern: '^.+=(VIEWER|DEVELOPER|ADMIN|OWNER)$' }), { minItems: 1 }),
    expected: 'pairs such as platform=ADMIN, separated by commas',
    description: 'Roles in that organization by group, given anew at each sign-in.',
  },
  oidcDefaultRole: {
    env: 'SLUICE_OIDC_DEFAULT_ROLE',
    type: Type.Enum(['VIEWER', 'DEVELOPER', 'ADMIN', 'OWNER']),
    expected: 'VIEWER, DEVELOPER, ADMIN or OWNER',
    description: 'The role of who is in none of those groups. Without it, they are not let in.',
  },
  dataDir: {
    env: 'SLUICE_DATA_DIR',
    type: Type.String({ minLength: 1 }),
    default: '.sluice',
    expected: 'a path',
    description: 'Directory for everything kept on this machine. One process at a time uses it.',
  },
  roles: {
    env: 'SLUICE_ROLES',
    type: Type.Array(Type.Enum(['api', 'worker', 'runner']), { minItems: 1, uniqueItems: true }),
    default: ['api', 'worker', 'runner'],
    expected: 'one or more of api, worker, runner, separated by commas',
    description:
      'What this process does. Fewer than all need DATABASE_URL, an engine elsewhere and SLUICE_ENCRYPTION_KEY.',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    isSecret: true,
    type: Type.Refine(Type.String(), (value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value)),
    expected: 'a URL that begins with postgres:// or postgresql://',
    description: 'PostgreSQL to use. Without it, an embedded database in the data directory.',
  },
  databaseSuperuser: {
    env: 'SLUICE_DATABASE_SUPERUSER',
    type: Type.Enum(['refused', 'allowed']),
    default: 'refused',
    expected: 'refused or allowed',
    description:
      'Whether the role in DATABASE_URL may be a superuser or have BYPASSRLS, for which no walls between organizations count.',
  },
  engineIngressUrl: {
    env: 'ENGINE_INGRESS_URL',
    type: url,
    expected: urlExpected,
    description: 'Ingress of a Restate that runs elsewhere. Without it, one is started as a child process.',
  },
  engineAdminUrl: {
    env: 'ENGINE_ADMIN_URL',
    type: url,
    expected: urlExpected,
    description: 'Admin interface of the same Restate.',
  },
  engineIdentityKeys: {
    env: 'ENGINE_IDENTITY_KEYS',
    type: Type.Array(Type.String({ pattern: '^publickeyv1_[1-9A-HJ-NP-Za-km-z]+$' }), { minItems: 1 }),
    expected: 'public keys that begin with publickeyv1_, separated by commas',
    description: 'Engines whose calls the worker obeys, needed for a worker of an engine that runs elsewhere.',
  },
  workerHost: {
    env: 'WORKER_HOST',
    type: Type.String({ minLength: 1 }),
    default: '127.0.0.1',
    expected: 'a host name or address',
    description: 'Address the worker listens on for calls of the engine.',
  },
  workerPort: {
    env: 'WORKER_PORT',
    type: port,
    expected: portExpected,
    description: 'Port the worker listens on. Without it, a free one that is kept in the data directory.',
  },
  workerUrl: {
    env: 'WORKER_URL',
    type: url,
    expected: urlExpected,
    description: 'Where an engine that runs elsewhere reaches the worker.',
  },
  bootstrapToken: {
    env: 'SLUICE_BOOTSTRAP_TOKEN',
    isSecret: true,
    type: Type.String({ pattern: '^slc_[A-Za-z0-9_-]{32,}$' }),
    expected: 'slc_ followed by at least 32 letters, digits, - or _',
    description:
      "The first owner's API key on an empty database. Without it one is generated, and shown at a terminal once.",
  },
  encryptionKey: {
    env: 'SLUICE_ENCRYPTION_KEY',
    isSecret: true,
    type: Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' }),
    expected: '32 bytes in base64 (openssl rand -base64 32)',
    description:
      'Key for secrets at rest, the same in every process. Without it, one is generated into the data directory.',
  },
  encryptionKeys: {
    env: 'SLUICE_ENCRYPTION_KEYS',
    isSecret: true,
    type: Type.Array(Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' }), { minItems: 1, maxItems: 10 }),
    expected: 'keys of 32 bytes in base64, separated by commas',
    description: 'Several such keys, to rotate them: the first one seals, all of them open. Then `sluice reseal`.',
  },
  cloudEndpoint: {
    env: 'SLUICE_CLOUD_ENDPOINT',
    envFallback: 'AWS_ENDPOINT_URL',
    type: url,
    expected: urlExpected,
    description: 'Send all cloud calls to this address, such as a simulated cloud.',
  },
  iacToolsDir: {
    env: 'SLUICE_IAC_TOOLS_DIR',
    type: Type.String({ minLength: 1 }),
    expected: 'a path',
    description:
      'Further versions of OpenTofu and Terraform, at `<tool>/<version>/<tool>`. Those on the PATH need none.',
  },
  iacCliConfig: {
    env: 'SLUICE_IAC_CLI_CONFIG',
    type: Type.String({ minLength: 1 }),
    expected: 'a path',
    description: 'CLI configuration file for OpenTofu and Terraform, such as one with mirrors of their plug-ins.',
  },
  connectTemplateUrl: {
    env: 'SLUICE_CONNECT_TEMPLATE_URL',
    type: url,
    expected: urlExpected,
    description:
      'Template, in an S3 bucket, that makes the role Sluice assumes. Without it, connection links have no url.',
  },
  outboundAllow: {
    env: 'SLUICE_OUTBOUND_ALLOW',
    type: Type.Array(
      Type.Refine(Type.String(), (value) => isNetwork(value) || isHostName(value)),
      { minItems: 1 },
    ),
    expected: 'host names, addresses or networks such as 10.0.0.0/8, separated by commas',
    description:
      'Where requests of pipelines may go beside the public internet: whatever these hosts are, and these networks.',
  },
  githubUrl: {
    env: 'SLUICE_GITHUB_URL',
    type: origin,
    default: 'https://github.com',
    expected: originExpected,
    description: 'GitHub, or an enterprise server.',
  },
  githubAppId: {
    env: 'SLUICE_GITHUB_APP_ID',
    type: Type.String({ pattern: '^[\\w.]+$' }),
    expected: 'the id of a GitHub App',
    description: 'The GitHub App that this server is. Without it, only public repositories of GitHub are read.',
  },
  githubPrivateKey: {
    env: 'SLUICE_GITHUB_PRIVATE_KEY',
    isSecret: true,
    type: Type.Refine(Type.String(), (value) => value.includes('PRIVATE KEY')),
    expected: 'a private key in PEM; \\n may stand for the ends of its lines',
    description: "The GitHub App's private key.",
  },
  githubPrivateKeyFile: {
    env: 'SLUICE_GITHUB_PRIVATE_KEY_FILE',
    type: Type.String({ minLength: 1 }),
    expected: 'a path',
    description: 'A file with that key, instead of SLUICE_GITHUB_PRIVATE_KEY.',
  },
  githubClientId: {
    env: 'SLUICE_GITHUB_CLIENT_ID',
    type: Type.String({ minLength: 1 }),
    expected: 'the client id of the GitHub App',
    description: "The GitHub App's client id, with which people prove that an installation is theirs.",
  },
  githubClientSecret: {
    env: 'SLUICE_GITHUB_CLIENT_SECRET',
    isSecret: true,
    type: Type.String({ minLength: 1 }),
    expected: 'the client secret of the GitHub App',
    description: "The GitHub App's client secret.",
  },
  githubWebhookSecret: {
    env: 'SLUICE_GITHUB_WEBHOOK_SECRET',
    isSecret: true,
    type: Type.String({ minLength: 1 }),
    expected: 'the webhook secret of the GitHub App',
    description: 'What GitHub signs its webhooks with.',
  },
  gitlabUrl: {
    env: 'SLUICE_GITLAB_URL',
    type: origin,
    default: 'https://gitlab.com',
    expected: originExpected,
    description: 'GitLab, as it is offered to all organizations. They register instances of their own themselves.',
  },
  gitlabClientId: {
    env: 'SLUICE_GITLAB_CLIENT_ID',
    type: Type.String({ minLength: 1 }),
    expected: 'the application id of a GitLab application',
    description: 'The GitLab application that this server is. Without it, only public projects of GitLab are read.',
  },
  gitlabClientSecret: {
    env: 'SLUICE_GITLAB_CLIENT_SECRET',
    isSecret: true,
    type: Type.String({ minLength: 1 }),
    expected: 'the secret of the GitLab application',
    description: "The GitLab application's secret.",
  },
  logLevel: {
    env: 'SLUICE_LOG_LEVEL',
    type: Type.Enum(['debug', 'info', 'warn', 'error', 'silent']),
    default: 'info',
    expected: 'debug, info, warn, error or silent',
    description: 'The least important lines to log.',
  },
  logFormat: {
    env: 'SLUICE_LOG_FORMAT',
    type: Type.Enum(['pretty', 'json']),
    default: 'pretty',
    expected: 'pretty or json',
    description: 'pretty for people, json for machines.',
  },
  pollMinMs: {
    env: 'SLUICE_POLL_MIN_MS',
    type: milliseconds,
    default: 1_000,
    expected: millisecondsExpected,
    description: 'How often a deployment that just changed is looked at.',
  },
  pollMaxMs: {
    env: 'SLUICE_POLL_MAX_MS',
    type: milliseconds,
    default: 15_000,
    expected: millisecondsExpected,
    description: 'How often a deployment that does not change is looked at.',
  },
  pausedPollMaxMs: {
    env: 'SLUICE_PAUSED_POLL_MAX_MS',
    type: milliseconds,
    default: 300_000,
    expected: millisecondsExpected,
    description: 'How often a deployment that waits for a person is looked at.',
  },
  outsidePollMs: {
    env: 'SLUICE_OUTSIDE_POLL_MS',
    type: milliseconds,
    default: 300_000,
    expected: millisecondsExpected,
    description: 'How often every account is looked through for releases that others made there, at the latest.',
  },
  runnerToken: {
    env: 'SLUICE_RUNNER_TOKEN',
    isSecret: true,
    type: Type.String({ pattern: '^[\\w-]{32,128}$' }),
    expected: 'at least 32 letters, digits, - or _ (openssl rand -hex 32)',
    description: "What lets the installation's own runners claim steps, where they run elsewhere: `sluice runner`.",
  },
  runnerImage: {
    env: 'SLUICE_RUNNER_IMAGE',
    type: Type.String({ pattern: '^[^\\s]{1,255}$' }),
    expected: 'the name of an image, such as registry.example.com/sluice-runner:1.4.0',
    description:
      "The runner's image, of this release, for steps in cloud accounts. Without it, no execution environment there is ready.",
  },
  runnerUrl: {
    env: 'SLUICE_RUNNER_URL',
    type: url,
    expected: urlExpected,
    description: 'Where tasks in cloud accounts reach this service, if not at SLUICE_PUBLIC_URL.',
  },
  sharedRunners: {
    env: 'SLUICE_SHARED_RUNNERS',
    type: Type.Enum(['on', 'off']),
    default: 'on',
    expected: 'on or off',
    description:
      'Whether steps that name no execution environment run on runners of this installation, or end with an error.',
  },
  runnerCapacity: {
    env: 'SLUICE_RUNNER_CAPACITY',
    type: Type.Integer({ minimum: 1, maximum: 1_000 }),
    expected: 'a whole number from 1 to 1000',
    description: 'How many steps the role runner carries out at a time. Without it, as many as there are cores.',
  },
  limitRequests: {
    env: 'SLUICE_LIMIT_REQUESTS',
    type: atMost,
    default: 100,
    expected: atMostExpected,
    description:
      'Requests a second that an organization may make, ten seconds of them at once. Each 16 KiB of a body counts as one more.',
  },
  limitKeyRequests: {
    env: 'SLUICE_LIMIT_KEY_REQUESTS',
    type: atMost,
    default: 50,
    expected: atMostExpected,
    description: 'The same for each API key, and for each person who is signed in.',
  },
  limitStreams: {
    env: 'SLUICE_LIMIT_STREAMS',
    type: atMost,
    default: 500,
    expected: atMostExpected,
    description: 'Streams of changes, logs and metrics that an organization may have open.',
  },
  limitKeyStreams: {
    env: 'SLUICE_LIMIT_KEY_STREAMS',
    type: atMost,
    default: 50,
    expected: atMostExpected,
    description: 'The same for each API key, and for each person who is signed in.',
  },
  limitQueuedRuns: {
    env: 'SLUICE_LIMIT_QUEUED_RUNS',
    type: atMost,
    default: 1_000,
    expected: atMostExpected,
    description: 'Pipeline runs of an organization that may wait for their turn. More are not begun.',
  },
  limitQueuedDeployments: {
    env: 'SLUICE_LIMIT_QUEUED_DEPLOYMENTS',
    type: atMost,
    default: 1_000,
    expected: atMostExpected,
    description: 'Deployments of an organization that may wait for their turn. More are not accepted.',
  },
  limitRunningSteps: {
    env: 'SLUICE_LIMIT_RUNNING_STEPS',
    type: atMost,
    expected: atMostExpected,
    description:
      "Steps of an organization that the installation's own runners carry out at a time; further ones wait. Without it, as many as there is room for.",
  },
  limitStepLogBytes: {
    env: 'SLUICE_LIMIT_STEP_LOG_BYTES',
    type: bytes,
    default: 128 * 1024 * 1024,
    expected: bytesExpected,
    description: 'Bytes that are kept of the log of an attempt of a step. Runners of this release cut it at 104857600.',
  },
  limitStateBytes: {
    env: 'SLUICE_LIMIT_STATE_BYTES',
    type: bytes,
    default: 64 * 1024 * 1024,
    expected: bytesExpected,
    description: 'Bytes that a state of infrastructure may have.',
  },
  auditRetentionDays: {
    env: 'SLUICE_AUDIT_RETENTION_DAYS',
    type: Type.Integer(retentionDays),
    default: 400,
    expected: 'a whole number of days from 30 to 36500',
    description: 'How long lines of the audit log are kept at least; an organization may have its own kept longer.',
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof settings

type Value<Name extends SettingName> = Static<(typeof settings)[Name]['type']>
type Unset<Name extends SettingName> = (typeof settings)[Name] extends { default: unknown } ? never : undefined

/** What a process runs with: every setting, `undefined` where it is neither set nor has a default. */
export type Config = { [Name in SettingName]: Value<Name> | Unset<Name> }

export const settingNames = Object.keys(settings) as SettingName[]

/** The settings by name, for code that treats them all alike. */
export const settingOf = (name: SettingName): Setting => settings[name]

/** `dataDir` is `--data-dir`; undefined where there is no flag. */
export const flagOf = (name: SettingName): string | undefined =>
  settingOf(name).isSecret ? undefined : `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
