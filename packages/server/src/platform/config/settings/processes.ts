import Type from 'typebox'
import { port, portExpected, type Settings, url, urlExpected } from './kinds.ts'

/** Settings of processes: roles, database, engine and keys. */
export const processesSettings = {
  dataDir: {
    env: 'SLUICE_DATA_DIR',
    type: Type.String({ minLength: 1 }),
    default: '.sluice',
    expected: 'a path',
    description: 'Directory for local data. Only one process can use it at a time.',
  },
  roles: {
    env: 'SLUICE_ROLES',
    type: Type.Array(Type.Enum(['api', 'worker', 'runner']), { minItems: 1, uniqueItems: true }),
    default: ['api', 'worker', 'runner'],
    expected: 'one or more of api, worker, runner, separated by commas',
    description:
      'Roles of this process. A process without all roles needs DATABASE_URL, an external engine and SLUICE_ENCRYPTION_KEY.',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    isSecret: true,
    type: Type.Refine(Type.String(), (value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value)),
    expected: 'a URL that begins with postgres:// or postgresql://',
    description: 'PostgreSQL server. Without it, Sluice uses an embedded database in the data directory.',
  },
  databaseMigrationUrl: {
    env: 'DATABASE_MIGRATION_URL',
    isSecret: true,
    type: Type.Refine(Type.String(), (value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value)),
    expected: 'a URL that begins with postgres:// or postgresql://',
    description:
      'The same database with the role that owns its tables, only for `sluice migrate`. The role in DATABASE_URL then cannot change the schema or the audit log.',
  },
  databaseSuperuser: {
    env: 'SLUICE_DATABASE_SUPERUSER',
    type: Type.Enum(['refused', 'allowed']),
    default: 'refused',
    expected: 'refused or allowed',
    description:
      'Whether the role in DATABASE_URL may be a superuser or have BYPASSRLS. Row-level security between organizations does not apply to such a role.',
  },
  databaseConnections: {
    env: 'SLUICE_DATABASE_CONNECTIONS',
    type: Type.Integer({ minimum: 2, maximum: 1_000 }),
    default: 40,
    expected: 'a whole number from 2 to 1000',
    description:
      'Maximum number of PostgreSQL connections of this process. One organization gets at most a quarter of them at a time.',
  },
  engineIngressUrl: {
    env: 'ENGINE_INGRESS_URL',
    type: url,
    expected: urlExpected,
    description: 'Ingress of an external Restate. Without it, Sluice starts Restate as a child process.',
  },
  engineAdminUrl: {
    env: 'ENGINE_ADMIN_URL',
    type: url,
    expected: urlExpected,
    description: 'Admin API of the external Restate.',
  },
  engineIdentityKeys: {
    env: 'ENGINE_IDENTITY_KEYS',
    type: Type.Array(Type.String({ pattern: '^publickeyv1_[1-9A-HJ-NP-Za-km-z]+$' }), { minItems: 1 }),
    expected: 'public keys that begin with publickeyv1_, separated by commas',
    description: 'Public keys of the engines that may call the worker. Required with an external engine.',
  },
  workerHost: {
    env: 'WORKER_HOST',
    type: Type.String({ minLength: 1 }),
    default: '127.0.0.1',
    expected: 'a host name or address',
    description: 'Address that the worker listens on for calls of the engine.',
  },
  workerPort: {
    env: 'WORKER_PORT',
    type: port,
    expected: portExpected,
    description: 'Port that the worker listens on. By default, a free port that is stored in the data directory.',
  },
  workerUrl: {
    env: 'WORKER_URL',
    type: url,
    expected: urlExpected,
    description: 'URL at which an external engine reaches the worker.',
  },
  drainSeconds: {
    env: 'SLUICE_DRAIN_SECONDS',
    type: Type.Integer({ minimum: 0, maximum: 300 }),
    default: 0,
    expected: 'a whole number of seconds from 0 to 300',
    description:
      'Seconds for which a process with the role api serves requests after SIGTERM, while `/health/ready` returns 503.',
  },
  finishSeconds: {
    env: 'SLUICE_FINISH_SECONDS',
    type: Type.Integer({ minimum: 0, maximum: 300 }),
    default: 20,
    expected: 'a whole number of seconds from 0 to 300',
    description: 'Seconds that running work of a worker may take after SIGTERM before another worker takes over.',
  },
  bootstrapToken: {
    env: 'SLUICE_BOOTSTRAP_TOKEN',
    isSecret: true,
    type: Type.String({ pattern: '^slc_[A-Za-z0-9_-]{32,}$' }),
    expected: 'slc_ followed by at least 32 letters, digits, - or _',
    description:
      'API key of the first owner in an empty database. By default it is generated, and printed once if the output is a terminal.',
  },
  metricsToken: {
    env: 'SLUICE_METRICS_TOKEN',
    isSecret: true,
    type: Type.String({ pattern: '^[A-Za-z0-9_-]{32,}$' }),
    expected: 'at least 32 letters, digits, - or _',
    description: 'Bearer token with which Prometheus can read `GET /metrics`. Without it, only superadmins can.',
  },
  encryptionKey: {
    env: 'SLUICE_ENCRYPTION_KEY',
    isSecret: true,
    type: Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' }),
    expected: '32 bytes in base64 (openssl rand -base64 32)',
    description:
      'Key that encrypts stored secrets, the same in every process. By default it is generated in the data directory.',
  },
  encryptionKeys: {
    env: 'SLUICE_ENCRYPTION_KEYS',
    isSecret: true,
    type: Type.Array(Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' }), { minItems: 1, maxItems: 10 }),
    expected: 'keys of 32 bytes in base64, separated by commas',
    description:
      'Several such keys for rotation: the first one encrypts, all of them decrypt. Run `sluice reseal` afterwards.',
  },
} as const satisfies Settings
