import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { ConfigError, type ConfigSources, loadCommandConfig, loadConfig } from './load.ts'
import { settingsReference } from './reference.ts'
import { type SettingName, settingNames, settingOf } from './settings.ts'

const directories: string[] = []
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true })
})

/** Creates a working directory with these files. */
function directoryWith(files: Record<string, string> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-config-'))
  directories.push(directory)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  return directory
}

const load = (sources: Partial<ConfigSources>) => loadConfig({ cwd: directoryWith(), env: {}, ...sources })

function faultsOf(sources: Partial<ConfigSources>): string[] {
  try {
    load(sources)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

test('without any setting there is a complete default', () => {
  expect(load({})).toMatchObject({
    port: 4600,
    host: '127.0.0.1',
    dataDir: '.sluice',
    roles: ['api', 'worker', 'runner'],
    databaseUrl: undefined,
    logFormat: 'pretty',
  })
})

test('a flag beats the environment, which beats the file, which beats the default', () => {
  const cwd = directoryWith({ 'sluice.config.yaml': 'port: 1\nhost: file.example\nlogLevel: debug' })
  const config = load({ cwd, env: { PORT: '2', HOST: 'env.example' }, flags: { port: '3' } })
  expect(config).toMatchObject({ port: 3, host: 'env.example', logLevel: 'debug', logFormat: 'pretty' })
})

test(
  'every supported file name is read',
  everyCase<[string, string, string]>(
    [
      ['sluice.config.json', '{"port": 5, "roles": ["api", "worker", "runner"]}', ''],
      ['sluice.config.yaml', 'port: 5', ''],
      ['sluice.config.yml', 'port: 5', ''],
      ['elsewhere.yaml', 'port: 5', 'elsewhere.yaml'],
    ],
    (name, content, SLUICE_CONFIG) => {
      expect(load({ cwd: directoryWith({ [name]: content }), env: { SLUICE_CONFIG } }).port).toBe(5)
    },
  ),
)

test('--config beats SLUICE_CONFIG', () => {
  const cwd = directoryWith({ 'a.yaml': 'port: 1', 'b.yaml': 'port: 2' })
  expect(load({ cwd, env: { SLUICE_CONFIG: 'a.yaml' }, flags: { config: 'b.yaml' } }).port).toBe(2)
})

test('an empty variable counts as not set', () => {
  expect(load({ env: { PORT: '', DATABASE_URL: '' } })).toMatchObject({ port: 4600, databaseUrl: undefined })
})

test('the cloud endpoint is taken from the variable the cloud’s own tools use, unless ours is set', () => {
  const AWS_ENDPOINT_URL = 'http://127.0.0.1:1'
  expect(load({ env: { AWS_ENDPOINT_URL } }).cloudEndpoint).toBe('http://127.0.0.1:1')
  const both = { AWS_ENDPOINT_URL, SLUICE_CLOUD_ENDPOINT: 'http://127.0.0.1:2' }
  expect(load({ env: both }).cloudEndpoint).toBe('http://127.0.0.1:2')
})

const wrongValues: Record<SettingName, unknown[]> = {
  port: ['', 'abc', '-1', '65536', '80.5', ' 80', '0x50'],
  host: [''],
  publicUrl: ['example.com', 'ftp://example.com', 'http://'],
  corsOrigins: ['https://example.com/', 'example.com', '*', 'https://a.example,ftp://b.example'],
  modulePublishers: ['ops', 'sa_1', 'key_00000000000000000000000000'],
  runnerPort: ['', 'abc', '-1', '65536'],
  trustedProxies: ['', 'proxy.internal', '10.0.0.0/33', '10.0.0.0/8/8', '::1/129', '10.0.0.1,'],
  mcp: ['yes', 'read'],
  mcpActions: ['yes', 'release'],
  registration: ['maybe', 'Open'],
  sessionIdleHours: ['0', '8761', 'a day'],
  sessionMaxHours: ['0', '8761', '1.5'],
  clockEpoch: ['yesterday', '2026-13-01T00:00:00Z', '2026-01-31T12:00:00+01:00'],
  clockSpeed: ['0', '0.5', '100001', 'fast'],
  signInNote: ['', 'x'.repeat(301)],
  oidcIssuer: ['http://id.example.com', 'https://id.example.com?x', 'id.example.com'],
  oidcClientId: [''],
  oidcClientSecret: [''],
  oidcName: [''],
  oidcDomains: ['', '@example.com', 'a b'],
  oidcOrganization: [''],
  oidcGroupsClaim: [''],
  oidcGroupRoles: ['platform', 'platform=admin', '=ADMIN'],
  oidcGroupTeams: ['platform', '=team', 'platform='],
  oidcDefaultRole: ['admin'],
  dataDir: [''],
  databaseConnections: ['1', '1001', 'many'],
  roles: ['', 'api,cook', 'api,api', 'api,'],
  databaseUrl: ['mysql://localhost/db', 'localhost'],
  databaseMigrationUrl: ['mysql://localhost/db', 'localhost'],
  databaseSuperuser: ['yes', ''],
  engineIngressUrl: ['127.0.0.1:8080'],
  engineAdminUrl: ['nowhere'],
  engineIdentityKeys: ['ssh-ed25519 AAAA', 'publickeyv1_0OIl'],
  workerHost: [''],
  workerPort: ['many'],
  workerUrl: ['tcp://worker'],
  drainSeconds: ['301', '-1', 'long', '1.5'],
  finishSeconds: ['301', '-1', 'long', '1.5'],
  bootstrapToken: ['slc_short', `tok_${'a'.repeat(40)}`],
  encryptionKeys: ['short', `${Buffer.alloc(32).toString('base64')},short`, ''],
  metricsToken: ['short', 'x y'.repeat(20)],
  encryptionKey: ['c2hvcnQ=', 'x'.repeat(44)],
  cloudEndpoint: ['localhost:4566'],
  connectTemplateUrl: ['s3://bucket/template.yaml'],
  outboundAllow: ['', '10.0.0.0/33', 'http://internal', '*'],
  smtpUrl: ['mail.example.com', 'https://mail.example.com', 'smtp://'],
  mailFrom: ['sluice', 'a@b\r\nBcc: c@d', 'Sluice sluice@example.com'],
  iacToolsDir: [''],
  iacCliConfig: [''],
  githubUrl: ['github.com', 'https://github.com/', 'https://git.example.com/path'],
  githubAppId: ['', 'my app'],
  githubPrivateKey: ['', 'secret'],
  githubPrivateKeyFile: [''],
  githubClientId: [''],
  githubClientSecret: [''],
  githubWebhookSecret: [''],
  gitlabUrl: ['gitlab.com', 'ftp://gitlab.com', 'https://gitlab.com/group'],
  gitlabClientId: [''],
  gitlabClientSecret: [''],
  logLevel: ['loud', 'INFO'],
  logLevels: ['', 'debug', 'cloud=loud', 'weather=debug', 'cloud=debug,'],
  logRequestsMs: ['-1', '1.5', 'slow'],
  logRequestsEvery: ['0', '1000001', 'all', '1.5'],
  logFormat: ['xml'],
  otlpEndpoint: ['localhost:4318', 'grpc://localhost:4317'],
  otlpHeaders: ['', 'authorization', 'a b=c', 'a=%zz'],
  otlpDelayMs: ['soon', '-1'],
  traceRatio: ['', '1.1', '-0.1', 'half'],
  traceServiceName: [''],
  pollMinMs: ['1', '1s'],
  pollMaxMs: ['99999999999'],
  pausedPollMaxMs: ['never'],
  outsidePollMs: ['0'],
  runnerToken: ['short', 'with a space in it, which no token has'],
  sharedRunners: ['maybe', ''],
  runnerCapacity: ['0', 'all'],
  limitRequests: ['0', 'none'],
  limitKeyRequests: ['0', '1.5'],
  admissionTargetMs: ['0', 'soon'],
  limitStreams: ['0', ''],
  limitKeyStreams: ['0', 'many'],
  limitQueuedRuns: ['0', '-1'],
  limitQueuedSteps: ['0', '-1'],
  limitQueuedDeployments: ['0', '1000001'],
  limitRehearsals: ['0', '1000001'],
  limitRunningSteps: ['0', 'all'],
  limitDriftLooks: ['0', 'all'],
  limitStepLogBytes: ['1', '1MB'],
  limitStateBytes: ['0', '9999999999'],
  limitPlanBytes: ['0', '9999999999'],
  limitStoredLogBytes: ['0', '20GB'],
  limitStoredStateBytes: ['0', 'all'],
  limitStoredPlanBytes: ['0', '1.5'],
  limitStoredArtifactBytes: ['0', '5GB'],
  auditRetentionDays: ['29', '36501', 'for ever'],
  eventRetentionDays: ['6', '36501', 'for ever'],
  rehearsalRetentionDays: ['6', '36501', 'for ever'],
  stepLogRetentionDays: ['6', '1.5'],
  stateVersions: ['4', 'all'],
  archiveDir: [''],
  archiveBucket: ['My Bucket', 'a'],
  archiveRegion: ['EU West'],
  archiveEndpoint: ['s3.example.com'],
  archiveDeploymentsAfterDays: ['-1', '1.5'],
  runnerImage: ['two words'],
  runnerUrl: ['sluice.example.com', 'ftp://sluice.example.com'],
}

test(
  'an invalid setting is reported with its name, its source and the expected value',
  everyCase(settingNames, (name) => {
    const { env, expected, isSecret } = settingOf(name)
    for (const value of wrongValues[name]) {
      const fromFile = { cwd: directoryWith({ 'sluice.config.json': JSON.stringify({ [name]: value }) }) }
      const fromEnvironment = value === '' ? fromFile : { env: { [env]: value as string } }
      const shown = isSecret ? 'not valid' : JSON.stringify(value)
      expect(faultsOf(fromFile)).toEqual([`${name} (sluice.config.json) is ${shown}: expected ${expected}.`])
      if (value !== '') {
        expect(faultsOf(fromEnvironment)).toEqual([`${env} (environment) is ${shown}: expected ${expected}.`])
      }
    }
  }),
)

test('values of a file have their own types', () => {
  const cwd = directoryWith({ 'sluice.config.json': '{"port": true, "host": 5, "roles": {"api": true}}' })
  expect(faultsOf({ cwd })).toHaveLength(3)
})

test('all faults are listed at once', () => {
  const cwd = directoryWith({ 'sluice.config.yaml': 'prot: 80\nlogLevel: loud' })
  const faults = faultsOf({ cwd, env: { HOST: 'ok', PORT: 'abc' }, flags: { roles: 'cook' }, unknownFlags: ['--prot'] })
  expect(faults).toEqual([
    expect.stringContaining('prot (sluice.config.yaml) is not a setting'),
    expect.stringContaining('--prot is not an option'),
    expect.stringContaining('PORT (environment) is "abc"'),
    expect.stringContaining('--roles (command line) is "cook"'),
    expect.stringContaining('logLevel (sluice.config.yaml) is "loud"'),
  ])
})

test(
  'an invalid configuration file is rejected',
  everyCase<[string, Record<string, string>, string | undefined]>(
    [
      ['missing', {}, 'nowhere.yaml'],
      ['not a mapping', { 'sluice.config.yaml': '- port' }, undefined],
      ['empty', { 'sluice.config.yaml': '' }, undefined],
      ['not parseable', { 'sluice.config.json': '{"port": ' }, undefined],
      ['there twice', { 'sluice.config.json': '{}', 'sluice.config.yaml': '' }, undefined],
    ],
    (_, files, config) => {
      expect(faultsOf({ cwd: directoryWith(files), flags: config ? { config } : {} })).toHaveLength(1)
    },
  ),
)

const elsewhere = {
  DATABASE_URL: 'postgres://sluice:secret@db/sluice',
  ENGINE_INGRESS_URL: 'http://engine:8080',
  ENGINE_ADMIN_URL: 'http://engine:9070',
}
const sharedKey = { SLUICE_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
const guessable = Buffer.alloc(32, 'secret').toString('base64')
const key = { ENGINE_IDENTITY_KEYS: 'publickeyv1_3bThYSn8oBRb4a' }
const simulated = { SLUICE_CLOUD_ENDPOINT: 'http://127.0.0.1:1' }
const fastClock = { SLUICE_CLOCK_SPEED: '60', SLUICE_CLOCK_EPOCH: '2026-01-31T12:00:00Z' }
const worker = { WORKER_URL: 'http://worker:9080', WORKER_PORT: '9080' }

test(
  'contradicting settings are rejected',
  everyCase<[string, Record<string, string>, RegExp | undefined]>(
    [
      [
        'two archives',
        { SLUICE_ARCHIVE_DIR: '/a', SLUICE_ARCHIVE_BUCKET: 'abc', SLUICE_ARCHIVE_REGION: 'eu-west-1' },
        /set one/,
      ],
      ['a bucket without its Region', { SLUICE_ARCHIVE_BUCKET: 'abc' }, /belong together/],
      ['the address of no bucket', { SLUICE_ARCHIVE_ENDPOINT: 'http://s3:9000' }, /requires SLUICE_ARCHIVE_BUCKET/],
      ['one engine address', { ...key, ...worker, ENGINE_INGRESS_URL: 'http://engine:8080' }, /belong together/],
      ['a role alone', { SLUICE_ROLES: 'api' }, /share a database, an engine and a key/],
      ['a role alone with a key of its own', { ...elsewhere, SLUICE_ROLES: 'api' }, /Set .*SLUICE_ENCRYPTION_KEY/],
      ['a role alone with all it needs', { ...elsewhere, ...sharedKey, SLUICE_ROLES: 'api' }, undefined],
      ['a worker that no engine can reach', { ...elsewhere, ...key }, /WORKER_URL and WORKER_PORT/],
      ['a worker that its engine can reach', { ...elsewhere, ...key, ...worker }, undefined],
      ['a worker that obeys anybody', { ...elsewhere, ...worker }, /ENGINE_IDENTITY_KEYS/],
      [
        'two places for keys',
        { ...sharedKey, SLUICE_ENCRYPTION_KEYS: sharedKey.SLUICE_ENCRYPTION_KEY },
        /are alternatives/,
      ],
      [
        'a key that can be guessed',
        { SLUICE_ENCRYPTION_KEY: guessable },
        /SLUICE_ENCRYPTION_KEY has a key that can be/,
      ],
      [
        'one among others',
        { SLUICE_ENCRYPTION_KEYS: `${sharedKey.SLUICE_ENCRYPTION_KEY},${guessable}` },
        /SLUICE_ENCRYPTION_KEYS has a key that can be guessed/,
      ],
      ['a fast clock with nothing that says since when', { ...simulated, SLUICE_CLOCK_SPEED: '60' }, /belong together/],
      ['a fast clock in the real cloud', fastClock, /set SLUICE_CLOUD_ENDPOINT/],
      ['a fast clock in a simulated cloud', { ...simulated, ...fastClock }, undefined],
      ['a minimum above the maximum', { SLUICE_POLL_MIN_MS: '20000' }, /greater than/],
    ],
    (_, env, fault) => {
      expect(faultsOf({ env })).toEqual(fault ? [expect.stringMatching(fault)] : [])
    },
  ),
)

test('the reference has a row for every setting', () => {
  const rows = settingsReference().trimEnd().split('\n').slice(2)
  expect(rows).toHaveLength(settingNames.length)
  expect(rows[0]).toBe(
    '| `PORT` | `--port` | `port` | `4600` | a port number from 0 to 65535 | Port of the API. 0 selects a free port. |',
  )
})

test('a command does not require settings of roles only', () => {
  const config = loadCommandConfig({ cwd: directoryWith(), env: { ...elsewhere, SLUICE_ROLES: 'worker' } })
  expect(config).toMatchObject({ databaseUrl: elsewhere.DATABASE_URL, roles: ['worker'] })
  const contradicting = { ...elsewhere, ENGINE_ADMIN_URL: '' }
  expect(() => loadCommandConfig({ cwd: directoryWith(), env: contradicting })).toThrow(/belong together/)
})
