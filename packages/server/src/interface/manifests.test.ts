import { randomBytes } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { loadCommandConfig, loadConfig } from '../platform/config/load.ts'
import { settingNames, settingOf } from '../platform/config/settings.ts'
import { type Manifest, renderKustomization } from '../testing/kustomize.ts'

const deploy = fileURLToPath(new URL('../../../../deploy', import.meta.url))
const read = (path: string) => readFileSync(join(deploy, path), 'utf8')

type Probe = { httpGet?: { path: string } }
type Container = {
  env?: { name: string }[]
  resources: object
  securityContext: object
  readinessProbe?: Probe
  livenessProbe?: Probe
}
type Pod = { securityContext: object; containers: Container[] }
const overlays = globSync('kubernetes/overlays/*', { cwd: deploy })
const rendered = (overlay: string): Manifest[] => renderKustomization(join(deploy, overlay))

type Model = new (data: object) => { validate(): void }

const schemaFile = createRequire(import.meta.url).resolve('kubernetes-models/package.json')
const { version: schemaVersion } = JSON.parse(readFileSync(schemaFile, 'utf8')) as { version: string }

/** Validates a manifest with Kubernetes' own schema; returns the error, or undefined. */
async function faultOf(manifest: Manifest): Promise<string | undefined> {
  const { apiVersion, kind, metadata } = manifest
  const models = (await import(/* @vite-ignore */ `kubernetes-models/${apiVersion}`)) as Record<string, Model>
  const Known = models[kind]
  if (!Known) return `${apiVersion} knows no ${kind}`
  try {
    new Known(manifest).validate()
    return undefined
  } catch (error) {
    return `${kind} ${metadata.name}: ${(error as Error).message}`
  }
}

const podsOf = (manifests: Manifest[]): Pod[] =>
  manifests.flatMap(({ spec }) => {
    const { template } = (spec ?? {}) as { template?: { spec: Pod } }
    return template ? [template.spec] : []
  })

/** Settings of the service from its own table, and name prefixes of other programs' settings. */
const known = new Set(settingNames.map((name) => settingOf(name).env as string))
const isKnown = (name: string) =>
  known.has(name) || /^(RESTATE_|RESTATECTL_|SLUICE_RUNNER_)/.test(name) || ['SLUICE_URL', 'AWS_REGION'].includes(name)

test.for(overlays)(`%s fits the schemas of kubernetes-models ${schemaVersion}`, async (overlay) => {
  const manifests = rendered(overlay)
  expect(manifests.length).toBeGreaterThan(20)
  const faults = await Promise.all(manifests.map(faultOf))
  expect(faults.filter((fault) => fault !== undefined)).toEqual([])
})

test('an invalid manifest is rejected', async () => {
  const mistaken = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'api' }, spec: { ports: [{ port: 'http' }] } }
  expect(await faultOf(mistaken as Manifest)).toMatch(/^Service api: /)
})

test.for(overlays)('every container of %s runs without privileges, on a read-only root', (overlay) => {
  for (const { securityContext, containers } of podsOf(rendered(overlay))) {
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    for (const { securityContext: own, resources } of containers) {
      const none = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } }
      expect(own).toEqual(none)
      expect(resources).toMatchObject({
        requests: { memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      })
    }
  }
})

test.for(overlays)('every setting in %s exists, and none of them is a secret', (overlay) => {
  const manifests = rendered(overlay)
  const given = manifests.find(({ metadata }) => metadata.name.startsWith('sluice-settings-'))?.data ?? {}
  const names = podsOf(manifests).flatMap(({ containers }) => containers.flatMap(({ env = [] }) => env))
  expect([...Object.keys(given), ...names.map(({ name }) => name)].filter((name) => !isKnown(name))).toEqual([])
  const secret = new Set(
    settingNames
      .map(settingOf)
      .filter((one) => 'isSecret' in one)
      .map(({ env }) => env as string),
  )
  expect(Object.keys(given).filter((name) => secret.has(name))).toEqual([])
  expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([])
})

test('docs/reference/production.md has a max_connections that is sufficient for all pods', () => {
  const documentation = readFileSync(join(deploy, '../docs/reference/production.md'), 'utf8')
  for (const overlay of overlays) {
    const manifests = rendered(overlay)
    const scalers = manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
    // An update adds one pod to each Deployment (maxSurge).
    const podCounts = scalers.map(({ spec }) => (spec as { maxReplicas: number }).maxReplicas + 1)
    const podCount = podCounts.reduce((sum, count) => sum + count, 0)
    const settings = manifests.find(({ metadata }) => metadata.name.startsWith('sluice-settings-'))?.data ?? {}
    const row = new RegExp(`^\\| \`${basename(overlay)}\` \\| (\\d+) \\| (\\d+) \\|$`, 'm').exec(documentation)
    expect(Number(row?.[1]), overlay).toBe(podCount)
    const needed = podCount * (Number(settings.SLUICE_DATABASE_CONNECTIONS) + 1)
    expect(Number(row?.[2]), overlay).toBeGreaterThanOrEqual(needed + 3) // superusers have three of their own
  }
})

type Service = {
  command?: string[]
  environment?: Record<string, string>
  networks?: string[] | object
  depends_on?: object
  deploy?: { replicas?: number }
  healthcheck?: object
}
type Compose = { services: Record<string, Service>; networks: object }
const composition = () => parse(read('compose/compose.yaml'), { merge: true }) as Compose

test('the Compose file uses only declared settings, services and networks', () => {
  const { services, networks } = composition()
  const ours = ['migrate', 'api', 'worker', 'runner'].map((name) => services[name])
  const names = ours.flatMap((service) => Object.keys(service?.environment ?? {}))
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !isKnown(name))).toEqual([])
  for (const [name, { depends_on: needs = {}, networks: joined = [] }] of Object.entries(services)) {
    expect(Object.keys(services), name).toEqual(expect.arrayContaining(Object.keys(needs)))
    const joins = Array.isArray(joined) ? joined : Object.keys(joined)
    expect(Object.keys(networks), name).toEqual(expect.arrayContaining(joins))
  }
})

test('programs of steps share no network with the database or the engine', () => {
  const { services } = composition()
  expect(services.runner?.networks).toEqual(['outer'])
  for (const name of ['postgres', 'engine-1', 'engine-2', 'engine-3']) {
    expect(JSON.stringify(services[name]?.networks), name).not.toContain('outer')
  }
})

test('every variable of the Compose file is written by `prepare` or has a default', () => {
  const asked = [...read('compose/compose.yaml').matchAll(/\$\{(\w+)(:-)?/g)]
  const needed = asked.filter(([, , preset]) => preset === undefined).map(([, name = '']) => name)
  const prepared = read('compose/prepare')
  expect(needed.length).toBeGreaterThan(5)
  expect(needed.filter((name) => !new RegExp(`^${name}=`, 'm').test(prepared))).toEqual([])
})

/** Variables that `deploy/compose/prepare` writes, as far as their format matters. */
const prepared: Record<string, string> = {
  SLUICE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  SLUICE_PUBLIC_URL: 'https://sluice.example.com',
  ENGINE_IDENTITY_KEYS: 'publickeyv1_3bThYSn8oBRb4a',
}
const filledIn = (text: string) =>
  text.replaceAll(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (_, name: string, usual?: string) => prepared[name] ?? usual ?? 'secret',
  )
const environmentOf = ({ environment = {} }: Service) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filledIn(String(value))]))

test('every process of the Compose file starts with its settings', () => {
  const { migrate, api, worker } = composition().services
  if (!migrate || !api || !worker) throw new Error('deploy/compose/compose.yaml lacks a service')
  const cwd = tmpdir()
  expect(loadCommandConfig({ cwd, env: environmentOf(migrate) }).databaseMigrationUrl).toBeDefined()
  expect(loadConfig({ cwd, env: environmentOf(api) }).roles).toEqual(['api'])
  expect(loadConfig({ cwd, env: environmentOf(worker) }).roles).toEqual(['worker'])
})

test('the database of the Compose file allows the connections of all processes', () => {
  const { postgres, migrate: _, ...others } = composition().services
  const maxConnections = Number(/max_connections=(\d+)/.exec(postgres?.command?.join(' ') ?? '')?.[1])
  const processes = Object.values(others).filter(({ environment }) => environment?.DATABASE_URL !== undefined)
  const count = processes.reduce((sum, { deploy }) => sum + (deploy?.replicas ?? 1), 0)
  // A replaced process may still be running, and superusers have three of their own.
  expect(maxConnections).toBeGreaterThan((count + 1) * Number(settingOf('databaseConnections').default) + 3)
})

test('each engine configuration has the settings by which calls leave a hanging worker', () => {
  for (const file of ['compose/engine.toml', 'kubernetes/base/restate.toml', 'aws/files/engine.toml.tftpl']) {
    const [, invoker = ''] = read(file).split('[worker.invoker]')
    expect(invoker, file).toMatch(/^http2-keep-alive-interval = "5s"$/m)
    expect(invoker, file).toMatch(/^http2-keep-alive-timeout = "5s"$/m)
  }
})

test('probes of our processes are answered by the process, because the kernel accepts connections for a hanging one', () => {
  const { api, worker } = composition().services
  expect(JSON.stringify(api?.healthcheck), 'compose.yaml, api').toContain('/health/ready')
  expect(JSON.stringify(worker?.healthcheck), 'compose.yaml, worker').toContain('/health/ready')
  for (const file of ['api', 'worker']) {
    const documents = parseAllDocuments(read(`kubernetes/base/${file}.yaml`)).map((document) => document.toJS())
    const [container] = documents.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers
    expect(container?.readinessProbe?.httpGet?.path, file).toBe('/health/ready')
    expect(container?.livenessProbe?.httpGet?.path, file).toBe('/health/live')
  }
})
