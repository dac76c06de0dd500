import type { CodeSource, ModuleDefinition, ModuleInstance } from '@sluice/contract'
import type { FakeGitHostA } from '../../git/adapter/fakes/githosta.fixture.ts'
import { githostaInstallations } from '../../git/githosta-installations/tables.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import type { SeededOrganization } from '../../testing/http-world.ts'
import { Pipelines } from '../../testing/pipelines.ts'

type Json = Record<string, unknown>

let last = 900
/** Returns a unique number. */
export const next = () => ++last
export const commitOf = (number: number) => number.toString(16).padStart(40, '0')

/** Installation of the GitHub App for the organizations of these tests. */
const installation = 7

export function install(host: FakeGitHostA): void {
  host.installations.set(installation, { login: 'acme', id: 70, type: 'Organization' })
}

export async function claimInstallation(
  db: Db,
  { organizationId, membershipId }: Pick<SeededOrganization, 'organizationId' | 'membershipId'>,
): Promise<void> {
  const claimed = { githostaInstallationId: String(installation), accountName: 'acme', claimedById: membershipId }
  await db.insert(githostaInstallations).values({ id: newId('gha'), organizationId, ...claimed })
}

/** Pipeline that ends at once, without a runner. */
export const done = { steps: [{ id: 'ask', type: 'approval', when: false }] }
const config = {
  inputs: [
    { id: 'tag', label: 'Tag', type: 'string', default: 'latest' },
    { id: 'account', label: 'Account', type: 'string', default: '' },
    { id: 'net', label: 'Network', type: '$ref:net' },
  ],
  ui: { links: [{ name: 'Shop', href: 'https://<< environment.given_id >>.shop.example' }] },
  stack: {
    type: 'iac',
    service_state_backend_workspace: '<< stack.id >>',
    pipelines: {
      defaults: { variant: 'standard', input: {} },
      change: { pipeline_id: '<< defaults.change_pipeline_id >>' },
      destroy: { pipeline_id: '<< defaults.destroy_pipeline_id >>' },
    },
  },
}

/** Creates a staging environment with a service that refers to a network by id. */
export async function createStaging(client: Client, url: string) {
  const make = <T = { id: string }>(path: string, data: Json) => client.done<T>('POST', path, { data })
  const { id: projectId } = await make('/projects', { givenId: 'market', name: 'Market' })
  const { id: environmentId } = await make('/environments', { projectId, givenId: 'staging', name: 'Staging' })
  const pipelines = new Pipelines(client, projectId)
  const change = await pipelines.create(done)
  const defaults = new Map<string, string>()
  for (const key of ['change_pipeline_id', 'destroy_pipeline_id']) {
    const { id } = await make('/default-value-definitions', { key, schema: { type: 'string' } })
    const value = { defaultValueDefinitionId: id, parentType: 'project', parentId: projectId, value: change.id }
    defaults.set(key, (await make('/default-values', value)).id)
  }
  const instances: Record<string, ModuleInstance> = {}
  for (const type of ['net', 'web']) {
    const { id: moduleDefinitionId } = await make<ModuleDefinition>('/module-definitions', {
      type,
      name: type,
      description: '',
    })
    const inputs = type === 'net' ? [] : config.inputs
    await make('/module-versions', {
      moduleDefinitionId,
      version: '1.0.0',
      description: 'x',
      config: { ...config, inputs },
    })
    const input = type === 'net' ? {} : { net: instances.net?.id }
    const named = { moduleDefinitionId, environmentId, givenId: type, name: type, input }
    instances[type] = await make<ModuleInstance>('/module-instances', named)
  }
  const setDefault = (key: string, value: string) =>
    client.done('PATCH', `/default-values/${defaults.get(key)}`, { data: { value } })
  return { client, url, make, projectId, environmentId, pipelines, setDefault, change }
}
export type Place = Awaited<ReturnType<typeof createStaging>>

/** Creates a repository with a pull request at the fake GitHub, which sends its webhooks. */
export async function createPullRequest(a: FakeGitHostA, { make, url }: Place) {
  const repository = {
    id: next(),
    name: `acme/r${last}`,
    isPrivate: true,
    branches: ['main'],
    installations: [installation],
  }
  a.repositories.push(repository)
  const repoUrl = `https://${new URL(a.url).host}/${repository.name}`
  const source = await make<CodeSource>('/code-sources', {
    type: 'GITHOSTA',
    repoUrl,
    githostaInstallationId: String(installation),
  })
  const number = next()
  const tell = async (action: string, commit = commitOf(next()), more: Json = {}) => {
    const delivery = crypto.randomUUID()
    const payload = {
      action,
      number,
      repository: { id: repository.id },
      sender: { login: 'ada' },
      pull_request: {
        state: action === 'closed' ? 'closed' : 'open',
        head: { ref: 'topic', sha: commit, repo: { id: repository.id } },
        base: { ref: 'main', sha: 'b'.repeat(40) },
        ...more,
      },
    }
    const { json, headers } = a.signed('pull_request', payload, delivery)
    await new Client(url, '').send('POST', '/webhooks/githosta', { json, headers })
    return { commit, delivery }
  }
  const comments = () => a.comments.filter((one) => one.number === number).map(({ body }) => String(body))
  return { source, number, tell, comments, repository }
}
