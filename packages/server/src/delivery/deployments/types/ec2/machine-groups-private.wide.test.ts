import { randomInt } from 'node:crypto'
import { GetParameterCommand } from '@aws-sdk/client-ssm'
import type { Deployment } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeGitHostA, startFakeGitHostA } from '../../../../git/adapter/fakes/githosta.fixture.ts'
import { type FakeGitHostB, startFakeGitHostB } from '../../../../git/adapter/fakes/githostb.fixture.ts'
import { settingsOfFakes } from '../../../../git/adapter/fakes/settings.fixture.ts'
import { eq } from '../../../../platform/db/drizzle.ts'
import { createGroup, groupDataOf, type TestGroup, untilReachable } from '../../../../testing/machine-group.ts'
import { connectPrivateRepository } from '../../../../testing/private-repository.ts'
import { startWorld, type TestOrganization, type World } from '../../../../testing/world.ts'
import { deployments } from '../../store/tables.ts'

let world: World
let host: FakeGitHostA
let otherHost: FakeGitHostB
beforeAll(async () => {
  host = await startFakeGitHostA()
  otherHost = await startFakeGitHostB()
  world = await startWorld({ env: settingsOfFakes(host, otherHost) })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await host?.close()
  await otherHost?.close()
})

/** Creates a group whose instances check out a private repository of the organization. */
async function privateGroup() {
  const org = await world.organization()
  const id = randomInt(1, 1_000_000)
  const { repoUrl, installation } = await connectPrivateRepository(world.db, org.id, host, id)
  const source = { type: 'git', repo: repoUrl, branch: null, ref: null, base_path: null }
  const group = await createGroup(world, org, { size: 2, runtime: 'manual', deploy: { source } })
  await untilReachable(org, group, 2)
  return { org, group, repository: { id, repoUrl, installation } }
}

const credentialsOf = async ({ name }: TestGroup) =>
  (await world.cloud.instances()).filter(({ group }) => group === name).map(({ credential }) => credential)

const tokenIn = (credential = '') => /^username=x-access-token\npassword=(ghs_.+)\n$/.exec(credential)?.[1] ?? ''

const parameterOf = ({ name }: TestGroup, { id }: Deployment) => `/sluice/${name}/credentials/${id}`

async function expectNoGrants(org: TestOrganization, group: TestGroup, deployment: Deployment): Promise<void> {
  const read = org.clients.ssm.send(new GetParameterCommand({ Name: parameterOf(group, deployment) }))
  await expect(read).rejects.toMatchObject({ name: 'ParameterNotFound' })
}

/** Expects the credential to appear nowhere but in its parameter of the account. */
async function expectNotLogged(org: TestOrganization, token: string): Promise<void> {
  const rows = await world.db.select().from(deployments).where(eq(deployments.organizationId, org.id))
  const calls = await world.cloud.calls({ account: org.accountNumber, limit: 100_000 })
  const others = calls.filter(({ operation }) => operation !== 'PutParameter')
  const events = await org.client.done('GET', '/infrastructure-events?limit=100')
  const audit = await org.client.done('GET', '/audit-events?limit=100')
  expect(token).not.toBe('')
  expect(JSON.stringify([rows, others, events, audit])).not.toContain(token)
}

describe.concurrent('a release from a private repository', () => {
  test('is checked out with a credential for this repository alone, which is deleted when the release ends', async () => {
    const { org, group, repository } = await privateGroup()
    const first = await org.deploy(group.moduleInstanceId, './install.sh')
    const over = await org.untilStatus(first.id, 'SUCCESS')

    const [token = '', other] = (await credentialsOf(group)).map(tokenIn)
    expect(other).toBe(token)
    expect(host.tokens.get(token)).toMatchObject({ ids: [repository.id], permissions: { contents: 'read' } })
    const [command] = await org.calls('SendCommand')
    const name = parameterOf(group, over)
    expect(command?.request).toMatchObject({
      Parameters: { sourceRepo: [repository.repoUrl], sourceCredentialParameter: [name] },
    })
    const written = await org.calls('PutParameter', { accepted: true })
    expect(written.map(({ request }) => request)).toContainEqual(
      expect.objectContaining({ Name: name, Type: 'SecureString' }),
    )
    await expectNoGrants(org, group, over)
    await expectNotLogged(org, token)

    const again = await org.redeploy(first.id)
    await expectNoGrants(org, group, await org.untilStatus(again.id, 'SUCCESS'))
    const back = await org.rollback(again.id, first.id)
    await expectNoGrants(org, group, await org.untilStatus(back.id, 'SUCCESS'))
    expect(await org.calls('DeleteParameter', { accepted: true })).toHaveLength(3)
  })

  test('that is cancelled deletes the credential', async () => {
    const { org, group } = await privateGroup()
    const { id } = await org.deploy(group.moduleInstanceId, './install.sh-hang')
    await org.until(id, 'running', (seen) => groupDataOf(seen).instances?.[0]?.status === 'IN_PROGRESS')
    await org.cancel(id)
    const over = await org.until(id, 'over', ({ completedAt }) => completedAt !== undefined)
    expect(over.status).toBe('ERROR') // there is no previous release
    await expectNoGrants(org, group, over)
  })

  test('that the organization has lost access to fails before any instance is changed', async () => {
    const { org, group, repository } = await privateGroup()
    host.installations.delete(repository.installation)
    const { id } = await org.deploy(group.moduleInstanceId, './install.sh')
    const { error } = await org.untilStatus(id, 'ERROR')
    expect(error).toMatchObject({ code: 'Sluice:Deployments:SOURCE_NOT_READABLE' })
    expect(error?.message).toContain(repository.repoUrl)
    expect(await org.calls('SendCommand')).toEqual([])
  })

  test('of another organization gets no credential', async () => {
    const { repository } = await privateGroup()
    const org = await world.organization()
    const source = { type: 'git', repo: repository.repoUrl, branch: null, ref: null, base_path: null }
    const group = await createGroup(world, org, { size: 1, runtime: 'manual', deploy: { source } })
    await untilReachable(org, group, 1)
    const { id } = await org.deploy(group.moduleInstanceId, './install.sh')
    await org.untilStatus(id, 'SUCCESS')
    expect(await credentialsOf(group)).toEqual([undefined])
    const [command] = await org.calls('SendCommand')
    expect(JSON.stringify(command?.request)).not.toContain('sourceCredentialParameter')
  })
})
