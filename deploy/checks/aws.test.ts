import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { operatorAccount, SimControl, spawnCloudSim } from '@sluice/cloud-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCommandConfig, loadConfig } from '../../packages/server/src/platform/config/load.ts'
import { settingNames, settingOf } from '../../packages/server/src/platform/config/settings.ts'
import { binaryPath } from '../../packages/server/src/platform/engine/server-process.ts'
import { isProgram, run } from './programs.ts'
import {
  initializedModule,
  type Message,
  moduleDirectory,
  terraform,
  testOnCloud,
  whyNoTerraform,
} from './terraform.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const cloud = { region: 'eu-west-1', id: 'AKIAINSTALLER', key: 'secret' }
const temporary: string[] = []
function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-deploy-'))
  temporary.push(directory)
  return directory
}
afterAll(() => {
  for (const directory of temporary) rmSync(directory, { recursive: true, force: true })
})

type Setting = { name: string; value: string }
type Container = {
  name: string
  command: string[]
  environment?: Setting[]
  secrets?: { name: string; valueFrom: string }[]
}
describe.skipIf(whyNoTerraform !== undefined)('the Terraform module for AWS', () => {
  let directory = ''
  beforeAll(async () => {
    directory = await initializedModule()
    temporary.push(directory)
  })

  test('is valid, with its example, and formatted', async () => {
    await terraform(directory, 'fmt', '-check', '-diff', '-recursive')
    await terraform(directory, 'validate')
    const example = join(directory, 'examples/complete')
    writeFileSync(join(example, 'eu-central-1-bundle.pem'), '-----BEGIN CERTIFICATE-----\n')
    await terraform(example, 'init', `-plugin-dir=${process.env.SLUICE_TEST_PLUGIN_MIRROR}`)
    await terraform(example, 'validate')
  })

  test('passes its own tests', async () => {
    await terraform(directory, 'test')
  })

  describe('on the simulated cloud', () => {
    let messages: Message[] = []
    let rest: Record<string, number> = {}
    beforeAll(async () => {
      const sim = await spawnCloudSim({
        stateFile: join(temporaryDirectory(), 'cloud.db'),
        speed: 600,
        checksAnswers: true,
      })
      const control = new SimControl(sim.url)
      await control.putNetwork(network)
      messages = await testOnCloud(directory, 'tests/simulated', sim.url)
      rest = await leftoverResources(control)
      await sim.stop()
    }, 900_000)

    test('is applied, changed and destroyed', () => {
      const errors = messages.filter((one) => one['@level'] === 'error')
      const said = errors.map((one) => `${one['@message']} ${one.diagnostic?.detail ?? ''}`)
      expect(said).toEqual([])
      expect(messages.find(({ type }) => type === 'test_summary')?.test_summary).toMatchObject({ status: 'pass' })
      expect(rest, 'resources that terraform destroy left').toEqual({})
    })

    test.for(['installed_as_described', 'changed_as_described'])('%s: a plan finds no difference', (name) => {
      const plan = messages.find((one) => one.type === 'test_plan' && one['@testrun'] === name)?.test_plan
      const changed = plan?.resource_changes?.filter(
        ({ change }) => !['no-op', 'read'].includes(change.actions[0] ?? ''),
      )
      expect(plan?.resource_changes?.length, 'resources in the plan').toBeGreaterThan(50)
      expect(changed?.map(({ address, change }) => `${address}: ${change.actions}`)).toEqual([])
    })

    const containersOf = (address: string): Container[] => {
      const state = messages.find((one) => one.type === 'test_state' && one['@testrun'] === 'installed')?.test_state
      const resources = state?.root_module.resources ?? []
      const definition = resources.find((one) => one.address === address)
      if (!definition) throw new Error(`The state has no ${address}`)
      return JSON.parse(definition.values.container_definitions as string) as Container[]
    }
    const containerOf = (address: string, name: string): Container => {
      const container = containersOf(address).find((one) => one.name === name)
      if (!container) throw new Error(`${address} has no container ${name}`)
      return container
    }
    const serviceContainer = (program: string, name: string) =>
      containerOf(`aws_ecs_task_definition.service["${program}"]`, name)

    const secretValues: Record<string, string> = {
      PGPASSWORD: 'secret',
      SLUICE_ENCRYPTION_KEY: Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64'),
      SLUICE_METRICS_TOKEN: 'm'.repeat(64),
      SLUICE_BOOTSTRAP_TOKEN: `slc_${'b'.repeat(64)}`,
      ENGINE_IDENTITY_KEYS: 'publickeyv1_3bThYSn8oBRb4a',
    }
    /** Returns the environment that ECS gives a container, with valid secrets. */
    function environmentOf({ environment = [], secrets = [] }: Container): Record<string, string> {
      const given = environment.map(({ name, value }) => [name, value])
      return Object.fromEntries([...given, ...secrets.map(({ name }) => [name, secretValues[name] ?? 'secret'])])
    }

    test('API and worker start with the settings that the module gives them', () => {
      const cwd = temporaryDirectory()
      for (const program of ['api', 'worker']) {
        const { roles } = loadConfig({ cwd, env: environmentOf(serviceContainer(program, program)) })
        expect(roles).toEqual([program])
        const migration = loadCommandConfig({ cwd, env: environmentOf(serviceContainer(program, 'migrate')) })
        expect(migration.databaseMigrationUrl, 'containers.tf, migrate').toContain('sluice_owner@')
      }
    })

    test('no secret setting is in the environment of a task definition', () => {
      const isSecret = new Set(
        settingNames.map(settingOf).flatMap((one) => ('isSecret' in one ? [one.env as string] : [])),
      )
      // These addresses have no password.
      const allowed = ['DATABASE_URL', 'DATABASE_MIGRATION_URL']
      for (const program of ['api', 'worker']) {
        for (const { environment = [] } of containersOf(`aws_ecs_task_definition.service["${program}"]`)) {
          for (const { name, value } of environment) {
            expect(isSecret.has(name) && !allowed.includes(name), `containers.tf: ${name}`).toBe(false)
            expect(value, `containers.tf: ${name}`).not.toMatch(/:[^/@]+@/)
          }
        }
      }
    })

    test('the engine accepts the configuration that a task writes for it', async () => {
      const files = containerOf('aws_ecs_task_definition.engine["engine-1"]', 'files')
      const engine = containerOf('aws_ecs_task_definition.engine["engine-1"]', 'engine')
      const cwd = temporaryDirectory()
      await run(process.execPath, files.command, { cwd, env: environmentOf(files) })
      const command = ['--config-file', join(cwd, 'restate.toml'), '--dump-config']
      const { stdout } = await run(binaryPath(), command, { cwd, env: environmentOf(engine) })
      expect(stdout).toContain('"http://engine-3.sluice.internal:5122')
      expect(stdout).toMatch(/node-name = "engine-1"/)
      expect(stdout).toMatch(/auto-provision = true/)
      expect(stdout).toMatch(/default-replication = 2/)
      expect(stdout).toMatch(/destination = "s3:\/\/sluice-snapshots-\d+-eu-west-1\/fs-/)
      expect(stdout).toMatch(/request-identity-private-key-pem-file = "\/etc\/restate\/identity\.pem"/)
    })

    test.skipIf(process.env.TEST_DATABASE_URL === undefined)(
      'tasks that start together prepare the role of the service, and a new password takes effect [PostgreSQL]',
      async () => {
        const files = serviceContainer('api', 'files')
        const cwd = temporaryDirectory()
        await run(process.execPath, files.command, { cwd, env: environmentOf(files) })
        const role = `deploy_${process.pid}`
        const sql = join(cwd, 'own.sql')
        writeFileSync(sql, readFileSync(join(cwd, 'roles.sql'), 'utf8').replaceAll('sluice', role))
        const owner = process.env.TEST_DATABASE_URL ?? ''
        const prepare = (password: string) =>
          run('psql', ['--no-psqlrc', '--set=ON_ERROR_STOP=1', `--file=${sql}`, owner], {
            env: { ...process.env, SLUICE_PASSWORD: password },
          })
        await Promise.all(Array.from({ length: 4 }, () => prepare('first')))
        await prepare('second')
        const address = new URL(owner)
        address.username = role
        address.password = 'second'
        const { stdout } = await run('psql', ['--tuples-only', '--command=select current_user', address.href])
        expect(stdout.trim()).toBe(role)
        await run('psql', [`--command=drop role ${role}`, owner])
      },
    )
  })
})

const zones = ['a', 'b', 'c'].map((zone, index) => ({ zone, index }))
/** Network in the test of the module. */
const network = {
  account: operatorAccount,
  region: cloud.region,
  id: 'vpc-0a1b2c3d4e5f60718',
  cidr: '10.0.0.0/16',
  subnets: zones.flatMap(({ zone, index }) => [
    { id: `subnet-0a1b2c3d4e5f6071${index + 1}`, zone, isPublic: false, cidr: `10.0.${index}.0/24` },
    { id: `subnet-0a1b2c3d4e5f6072${index + 1}`, zone, isPublic: true, cidr: `10.0.${100 + index}.0/24` },
  ]),
  securityGroups: [],
}

const opposites = {
  CreateCluster: 'DeleteCluster',
  CreateService: 'DeleteService',
  CreateLogGroup: 'DeleteLogGroup',
  CreateLoadBalancer: 'DeleteLoadBalancer',
  CreateTargetGroup: 'DeleteTargetGroup',
  CreateBucket: 'DeleteBucket',
}

/** Returns the number of created and not deleted resources by type. */
async function leftoverResources(control: SimControl): Promise<Record<string, number>> {
  const count = async (operation: string) => (await control.calls({ operation, accepted: true })).length
  const counts = await Promise.all(
    Object.entries(opposites).map(async ([create, remove]): Promise<[string, number]> => {
      const created = await count(create)
      return [create, created === 0 ? Number.NaN : created - (await count(remove))]
    }),
  )
  return Object.fromEntries(counts.filter(([, number]) => number !== 0))
}

test('deploy/aws/prepare creates a secret with every key that tasks read, and prints only its ARN', async ({
  skip,
}) => {
  skip(!(await isProgram('aws')), 'skipped: aws')
  await using sim = await startedCloud()
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: sim.url,
    AWS_ACCESS_KEY_ID: cloud.id,
    AWS_SECRET_ACCESS_KEY: cloud.key,
  }
  const options = { env: { ...env, AWS_DEFAULT_REGION: cloud.region } }
  const child = spawn(join(moduleDirectory, 'prepare'), ['sluice'], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (bytes) => {
    output += bytes
  })
  expect(await once(child, 'close')).toEqual([0, null])
  expect(output).toMatch(/^arn:aws:secretsmanager:eu-west-1:\d{12}:secret:sluice-\w+\n$/)
  const reading = [
    'secretsmanager',
    'get-secret-value',
    '--secret-id',
    'sluice',
    '--query',
    'SecretString',
    '--output',
    'text',
  ]
  const { stdout } = await run('aws', reading, options)
  const { ENGINE_IDENTITY, DATABASE_PASSWORD, ...settings } = JSON.parse(stdout) as Record<string, string>
  expect(ENGINE_IDENTITY).toMatch(/^-----BEGIN PRIVATE KEY-----\n[\s\S]+-----END PRIVATE KEY-----\n$/)
  expect(DATABASE_PASSWORD).toMatch(/^[0-9a-f]{64}$/)
  const known = {
    DATABASE_URL: 'postgres://sluice@db/sluice',
    ENGINE_INGRESS_URL: 'http://e:8080',
    ENGINE_ADMIN_URL: 'http://e:9070',
  }
  expect(loadConfig({ cwd: root, env: { ...settings, ...known, SLUICE_ROLES: 'api' } }).roles).toEqual(['api'])
})

async function startedCloud() {
  const sim = await spawnCloudSim({ stateFile: join(temporaryDirectory(), 'cloud.db') })
  return { url: sim.url, [Symbol.asyncDispose]: () => sim.stop() }
}
