import Type from 'typebox'
import { port, portExpected, type Settings, url, urlExpected } from './kinds.ts'

/** Settings of processes: roles, database, engine and keys. */
export const processesSettings = {
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
  databaseMigrationUrl: {
    env: 'DATABASE_MIGRATION_URL',
    isSecret: true,
    type: Type.Refine(Type.String(), (value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value)),
    expected: 'a URL that begins with postgres:// or postgresql://',
    description:
      'The same database by the role that owns its tables, for `sluice migrate` alone: then the role in DATABASE_URL can ' +
      'change neither the schema nor the audit log.',
  },
  databaseSuperuser: {
    env: 'SLUICE_DATABASE_SUPERUSER',
    type: Type.Enum(['refused', 'allowed']),
    default: 'refused',
    expected: 'refused or allowed',
    description:
      'Whether the role in DATABASE_URL may be a superuser or have BYPASSRLS, for which no walls between organizations count.',
  },
  databaseConnections: {
    env: 'SLUICE_DATABASE_CONNECTIONS',
    type: Type.Integer({ minimum: 2, maximum: 1_000 }),
    default: 40,
    expected: 'a whole number from 2 to 1000',
    description:
      'How many connections to PostgreSQL this process opens at the most; an organization is given a quarter of them at a time.',
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
  drainSeconds: {
    env: 'SLUICE_DRAIN_SECONDS',
    type: Type.Integer({ minimum: 0, maximum: 300 }),
    default: 0,
    expected: 'a whole number of seconds from 0 to 300',
    description:
      'How long a process with the role api continues to serve requests after SIGTERM, while `/health/ready` already returns 503.',
  },
  finishSeconds: {
    env: 'SLUICE_FINISH_SECONDS',
    type: Type.Integer({ minimum: 0, maximum: 300 }),
    default: 20,
    expected: 'a whole number of seconds from 0 to 300',
    description:
      'How long work that a worker has begun may take to its end after SIGTERM, before it is left to another one.',
  },
  bootstrapToken: {
    env: 'SLUICE_BOOTSTRAP_TOKEN',
    isSecret: true,
    type: Type.String({ pattern: '^slc_[A-Za-z0-9_-]{32,}$' }),
    expected: 'slc_ followed by at least 32 letters, digits, - or _',
    description:
      "The first owner's API key on an empty database. Without it one is generated, and shown at a terminal once.",
  },
  metricsToken: {
    env: 'SLUICE_METRICS_TOKEN',
    isSecret: true,
    type: Type.String({ pattern: '^[A-Za-z0-9_-]{32,}$' }),
    expected: 'at least 32 letters, digits, - or _',
    description: 'Lets Prometheus read `GET /metrics`, as its bearer token. Without it, superadmins alone may.',
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
} as const satisfies Settings
