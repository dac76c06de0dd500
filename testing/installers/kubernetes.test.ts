import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@sluice/client'
import type { RunningSim } from '@sluice/cloud-sim'
import { openEngineIdentity } from '@sluice/server/platform/engine/identity'
import { eventually } from '@sluice/server/testing/eventually'
import { renderKustomization } from '@sluice/server/testing/kustomize'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Cluster } from './cluster.ts'
import { createRunnerPool, prepareRelease, release, runCommandStep } from './first-release.ts'
import type { Image } from './image.ts'
import { isAllowed } from './network-policies.ts'
import { cloudSettings, installerImages, serviceName, startCloud, trustCertificate, work } from './setup.ts'

// Installs deploy/kubernetes as docs/reference/production.md describes: a copy of the overlay `production` with its own
// names, keys and Secrets. On failure, see the container's log below INSTALLERS_WORK/kubernetes, with containers and
// volumes.

const folder = join(work, 'kubernetes')
const baseUrl = `https://${serviceName}`
const metricsToken = randomBytes(24).toString('hex')

let cluster: Cluster
let cloud: RunningSim
let token: string

beforeAll(async () => {
  const copy = join(folder, 'deploy')
  cpSync(new URL('../../deploy/kubernetes', import.meta.url).pathname, copy, { recursive: true })
  const { keyFile, publicKey } = await openEngineIdentity(join(folder, 'identity.pem'))
  const overlay = join(copy, 'overlays/production')
  for (const file of ['kustomization.yaml', 'ingress.yaml'])
    edit(join(overlay, file), { 'sluice.example.com': serviceName, publickeyv1_REPLACE: publicKey })
  const images = await installerImages()
  const passwords = { service: randomBytes(12).toString('hex'), owner: randomBytes(12).toString('hex') }
  cloud = await startCloud('kubernetes')
  const certificate = makeCertificate()
  trustCertificate(certificate['tls.crt'])
  const manifests = renderKustomization(overlay)
  cluster = await Cluster.create({ manifests, images, work: folder })
  await cluster.createSecret('sluice', {
    DATABASE_URL: `postgres://sluice:${passwords.service}@postgres/sluice`,
    SLUICE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SLUICE_METRICS_TOKEN: metricsToken,
    ...cloudSettings(cluster.gateway, cloud),
  })
  await cluster.createSecret('sluice-migration', {
    DATABASE_MIGRATION_URL: `postgres://sluice_owner:${passwords.owner}@postgres/sluice`,
  })
  await cluster.createSecret('sluice-engine', { 'identity.pem': readFileSync(keyFile, 'utf8') })
  await cluster.createSecret('sluice-tls', certificate)
  await startDatabase(images.postgres, passwords)
})
afterAll(() => cloud?.stop())

function edit(file: string, replacements: Record<string, string>): void {
  const text = Object.entries(replacements).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    readFileSync(file, 'utf8'),
  )
  writeFileSync(file, text)
}

function makeCertificate(): Record<'tls.crt' | 'tls.key', string> {
  const [crt, key] = ['tls.crt', 'tls.key'].map((name) => join(folder, name)) as [string, string]
  const how = ['req', '-x509', '-newkey', 'rsa:3072', '-nodes', '-days', '2', '-subj', `/CN=${serviceName}`]
  const files = ['-addext', `subjectAltName=DNS:${serviceName}`, '-keyout', key, '-out', crt]
  execFileSync('openssl', [...how, ...files], { stdio: 'ignore' })
  return { 'tls.crt': readFileSync(crt, 'utf8'), 'tls.key': readFileSync(key, 'utf8') }
}

/** Starts an external database server with the roles that docs/reference/production.md describes. */
async function startDatabase(image: Image | undefined, passwords: { service: string; owner: string }): Promise<void> {
  if (!image) throw new Error('there is no stand-in for the image postgres')
  const roles = new URL('../../deploy/compose/postgres-role.sh', import.meta.url).pathname
  const container = await cluster.startOutside('postgres', {
    image,
    args: [...image.entrypoint, 'postgres', '-c', 'max_connections=300'],
    env: {
      POSTGRES_PASSWORD: randomBytes(12).toString('hex'),
      SLUICE_PASSWORD: passwords.service,
      SLUICE_MIGRATION_PASSWORD: passwords.owner,
    },
    mounts: [{ type: 'bind', source: roles, target: '/docker-entrypoint-initdb.d/role.sh', isReadOnly: true }],
  })
  const accepts = () => container.execute(['pg_isready', '--host', '127.0.0.1'])
  await eventually('the database to accept connections', accepts, ({ code }) => code === 0)
}

test('every pod of the overlay becomes ready without a restart', async () => {
  await cluster.apply()
  await eventually(
    'all pods to be ready',
    async () => ({ state: cluster.state, faults: cluster.faults }),
    () => cluster.isReady,
  )
  expect(cluster.faults).toEqual([])
})

test('its first owner makes the first release through the Ingress', async () => {
  cluster.serveIngress()
  token = ((await cluster.execute('api', ...sluice, 'owner-token')).match(/slc_\S+/) ?? [''])[0]
  const client = createClient({ baseUrl, token })
  expect(await release(client, await prepareRelease(client, cloud.url), 'shop/hello:2')).toBe('SUCCESS')
})

test('its runners start once their Secret exists, and run a step', async () => {
  const client = createClient({ baseUrl, token })
  await cluster.createSecret('sluice-runner', { SLUICE_RUNNER_TOKEN: await createRunnerPool(client) })
  const { status, log } = await runCommandStep(client)
  expect(log).toContain('hello from')
  expect(status).toBe('SUCCESS')
})

test('the memory of its pods is within their requests and limits', async () => {
  expect(await cluster.memoryFaults()).toEqual([])
})

test('Prometheus can read the metrics of workers, and other pods cannot', async () => {
  const worker = cluster.podOf('worker')
  const metrics = { to: worker, port: { name: 'metrics', number: 4600 } }
  const from = (namespace: string) => ({ from: { namespace, labels: { app: 'prometheus' } }, ...metrics })
  expect(isAllowed(cluster.policies, from('monitoring'))).toBe(true)
  expect(isAllowed(cluster.policies, from('default'))).toBe(false)
  const headers = { authorization: `Bearer ${metricsToken}` }
  const response = await fetch(`http://${worker.address}:4600/metrics`, { headers })
  expect(await response.text()).toContain('sluice_')
  expect(response.status).toBe(200)
})

test('it stops properly', async () => {
  expect(cluster.faults).toEqual([])
  expect(await cluster.delete()).toEqual([])
})

/** Command line in the image of the service. */
const sluice = ['node', '/sluice/packages/cli/src/main.js']
