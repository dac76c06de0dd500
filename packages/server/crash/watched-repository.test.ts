import type { AuditEvent, CodeSource, Environment, WatchedRepository } from '@sluice/contract'
import { expect, onTestFinished, test } from 'vitest'
import { startFakeGitHostA } from '../src/git/adapter/fakes/githosta.fixture.ts'
import { settingsOfFakeA } from '../src/git/adapter/fakes/settings.fixture.ts'
import { claimInstallation, commitOf, install } from '../src/infrastructure/preview-environments/staging.fixture.ts'
import { Client } from '../src/testing/client.ts'
import { eventually } from '../src/testing/eventually.ts'
import { seedOrganization } from '../src/testing/http-world.ts'
import type { World } from '../src/testing/world.ts'
import { startCrashWorld } from './crash-world.ts'
import { PatientClient } from './patient-client.ts'
import { Progress } from './progress.ts'
import { startInstallation } from './test-installation.ts'

const count = 24
/** Returns the files of a project with this number of environments. */
const filesOf = (name: string) => ({
  'infra/project.yaml': `kind: Project\nname: shop\ntitle: ${name}\n`,
  ...Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `infra/${at}.yaml`,
      `kind: Environment\nname: ${name}-${at}\n---\nkind: Pipeline\nname: ${name}-${at}\nconfig: { steps: [{ id: ask, type: approval }] }\n`,
    ]),
  ),
})

const [first, second] = [commitOf(1), commitOf(2)]
/** Two processes can share a database only on a server. */
const hasServer = process.env.TEST_DATABASE_URL !== undefined

type Host = Awaited<ReturnType<typeof startFakeGitHostA>>

async function startHost(): Promise<Host> {
  const host = await startFakeGitHostA()
  onTestFinished(() => host.close())
  install(host)
  return host
}

const settingsFor = (host: Host) => ({ ...settingsOfFakeA(host), SLUICE_PUBLIC_URL: 'https://sluice.example' })

async function owner({ db, url }: World) {
  const seeded = await seedOrganization(db)
  await claimInstallation(db, seeded)
  return { client: new PatientClient(url, seeded.key), url }
}

/** Watches a repository whose branch is at the first of two commits. */
async function watch(host: Host, client: PatientClient) {
  const make = <T = { id: string }>(path: string, data: object) => client.done<T>('POST', path, { data })
  const { id: projectId } = await make('/projects', { givenId: 'shop', name: 'Shop' })
  const { id: serviceAccountId } = await make('/service-accounts', { name: 'files', role: 'ADMIN' })
  const repository = {
    id: 1,
    name: 'acme/shop',
    isPrivate: true,
    branches: ['main'],
    installations: [7],
    heads: { main: first },
    trees: { [first]: filesOf('one'), [second]: { ...filesOf('one'), ...filesOf('two') } },
  }
  host.repositories.push(repository)
  const repoUrl = `https://${new URL(host.url).host}/${repository.name}`
  const source = await make<CodeSource>('/code-sources', { type: 'GITHOSTA', repoUrl, githostaInstallationId: '7' })
  const place = { projectId, codeSourceId: source.id, serviceAccountId, path: 'infra', apply: 'ON_MERGE' }
  const { id } = await make<WatchedRepository>('/watched-repositories', place)
  const environments = () => client.done<Environment[]>('GET', `/environments?projectId=${projectId}&limit=100`)
  const watched = () => client.done<WatchedRepository>('GET', `/watched-repositories/${id}`)
  return { repository, environments, watched }
}

test.runIf(hasServer)('a worker without the API applies files as well', async () => {
  const host = await startHost()
  const { people } = await startInstallation({ speed: 60, people: owner, env: settingsFor(host) })
  const { environments, watched } = await watch(host, people.client)

  const isApplied = ({ status, appliedCommit }: WatchedRepository) => status === 'APPLIED' && appliedCommit === first
  await eventually('the files to be applied', watched, isApplied)

  expect(await environments()).toHaveLength(count)
})

test('each push is applied once and none is lost, although the service is killed repeatedly during an apply', async () => {
  const host = await startHost()
  const { service, people } = await startCrashWorld({ speed: 60, people: owner, env: settingsFor(host) })
  const { client, url } = people
  await service.ready()
  const { repository, environments, watched } = await watch(host, client)

  /** Kills the service whenever a few more environments exist. */
  const untilApplied = async (commit: string) => {
    let killedAt = (await environments()).length
    const progress = new Progress(`${commit} to be applied`)
    for (;;) {
      const { status, appliedCommit } = await watched()
      if (status === 'APPLIED' && appliedCommit === commit) return
      expect(['PLANNING', 'APPLYING', 'APPLIED']).toContain(status)
      const { length } = await environments()
      progress.observe({ status, appliedCommit, environmentCount: length })
      if (length < killedAt + 5) continue
      killedAt = length
      await service.kill(service.kills % 3 === 2 ? 'service and engine' : 'service')
      service.start()
      await service.ready()
    }
  }
  await untilApplied(first)
  repository.heads.main = second
  const commits = [{ id: second, added: ['infra/project.yaml'], modified: [], removed: [], message: 'x' }]
  const payload = {
    ref: 'refs/heads/main',
    before: first,
    after: second,
    repository: { id: 1 },
    sender: { login: 'ada' },
    commits: [{ ...commits[0], timestamp: '2026-01-02T03:04:05Z' }],
    head_commit: commits[0],
    pusher: { name: 'ada' },
  }
  const { json, headers } = host.signed('push', payload)
  await new Client(url, '').send('POST', '/webhooks/githosta', { json, headers })
  await service.kill('service and engine')
  service.start()
  await service.ready()
  await untilApplied(second)

  expect(service.kills).toBeGreaterThan(4)
  expect(await environments()).toHaveLength(2 * count)
  const lines: AuditEvent[] = []
  for (const action of ['environments.create', 'pipelines.create', 'pipeline-versions.create']) {
    lines.push(...(await client.done<AuditEvent[]>('GET', `/audit-events?action=${action}&limit=100`)))
  }
  const counted = (action: string) => lines.filter((line) => line.action === action).length
  expect([counted('environments.create'), counted('pipelines.create'), counted('pipeline-versions.create')]).toEqual([
    2 * count,
    2 * count,
    2 * count,
  ])
})
