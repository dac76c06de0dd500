import type { SimControl } from '@sluice/cloud-sim'
import type { Deployment } from '@sluice/contract'
import { expect, onTestFinished, test } from 'vitest'
import { startFakeGitHostA } from '../src/git/adapter/fakes/githosta.fixture.ts'
import { settingsOfFakeA } from '../src/git/adapter/fakes/settings.fixture.ts'
import { createGroup, groupDataOf, untilReachable } from '../src/testing/machine-group.ts'
import { connectPrivateRepository } from '../src/testing/private-repository.ts'
import type { TestOrganization, World } from '../src/testing/world.ts'
import type { Watcher } from './gateway.ts'
import { KillAfterCallWatcher, KillBeforeCallWatcher } from './moments.ts'
import { createAccountUsers, ofAll, releasesPerKill, startObservedEnvironment } from './parties.ts'

/** Starts organizations with a group of two machines each, whose calls to the cloud are observed. */
const startWithGroups = (watcher: Watcher, count: number) =>
  startObservedEnvironment(watcher, createAccountUsers(count, settle))

async function settle(world: World, organization: TestOrganization) {
  const strategy = { type: 'rolling', automatic_rollback: true }
  const group = await createGroup(world, organization, { size: 2, strategy })
  await untilReachable(organization, group, 2)
  return { group }
}

/** Starts an organization whose two machines check out a private repository. */
async function startWithPrivateGroup(watcher: Watcher) {
  const host = await startFakeGitHostA()
  onTestFinished(() => host.close())
  const settlePrivate = async (world: World, organization: TestOrganization) => {
    const { repoUrl } = await connectPrivateRepository(world.db, organization.id, host, 42)
    const source = { type: 'git', repo: repoUrl, branch: null, ref: null, base_path: null }
    const group = await createGroup(world, organization, { size: 2, runtime: 'manual', deploy: { source } })
    await untilReachable(organization, group, 2)
    return { group }
  }
  const started = await startObservedEnvironment(watcher, createAccountUsers(1, settlePrivate), {
    env: settingsOfFakeA(host),
  })
  return { ...started, ...started.parties[0] }
}

/** Expects that each wave of each deployment reached the cloud once, and that each success was recorded once. */
async function expectEachCommandOnce(cloud: SimControl, deployments: Deployment[]): Promise<void> {
  const accepted = (operation: string) => cloud.calls({ operation, accepted: true, limit: 100_000 })
  const comments = (await accepted('SendCommand')).map(({ request }) => (request as { Comment: string }).Comment)
  expect(
    comments.filter((comment, index) => comments.indexOf(comment) !== index),
    'sent again',
  ).toEqual([])
  const commandIds = deployments.flatMap((deployment) =>
    (groupDataOf(deployment).instances ?? []).flatMap(({ commandId, returned }) => [commandId, returned?.commandId]),
  )
  const known = new Set(commandIds.filter((id) => id !== undefined))
  expect(known.size, 'commands that a deployment knows of').toBe(comments.length)
  const written = (await accepted('PutParameter')).length
  expect(written).toBe(deployments.filter(({ status }) => status === 'SUCCESS').length)
}

test('a machine group receives each release once, whichever call of the cloud was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, cloud, parties } = await startWithGroups(moments, releasesPerKill)
  const count = await moments.killAtEach(service, parties, {
    async release({ user, group }, moment) {
      const { id } = await user.deploy(group.moduleInstanceId, `shop/worker:${moment}`)
      expect(await user.follow(id), `killed at moment ${moment}`).toMatchObject({ status: 'SUCCESS' })
    },
  })
  expect(count).toBeGreaterThan(6)
  await expectEachCommandOnce(cloud, await ofAll(parties, ({ user }) => user.list()))
  expect(service.ownEnds).toEqual([])
})

const changes = [/^SendCommand$/, /^PutParameter$/]

test('a machine group receives each release once, whichever change a kill prevented', async () => {
  const unheard = new KillBeforeCallWatcher()
  const { service, cloud, parties } = await startWithGroups(unheard, changes.length)
  await unheard.killInsteadOfEach(service, parties, changes, async ({ user, group }, change, nth) => {
    const { id } = await user.deploy(group.moduleInstanceId, `shop/worker:${nth}`)
    expect(await user.follow(id), `killed before ${change}`).toMatchObject({ status: 'SUCCESS' })
  })
  await expectEachCommandOnce(cloud, await ofAll(parties, ({ user }) => user.list()))
})

test('a machine group is rolled back once, whichever call was the last before a kill', async () => {
  const moments = new KillAfterCallWatcher()
  const { service, cloud, parties } = await startWithGroups(moments, releasesPerKill)
  const first = parties.map(async ({ user, group }) =>
    user.follow((await user.deploy(group.moduleInstanceId, 'shop/worker:1')).id),
  )
  await Promise.all(first)
  await moments.killAtEach(service, parties, {
    async release({ user, group }, moment) {
      const { id } = await user.deploy(group.moduleInstanceId, `shop/worker:${moment}-crash`)
      const over = await user.follow(id)
      expect(over.error?.code, `killed at moment ${moment}`).toBe('Sluice:Deployments:INSTANCES_FAILED')
      expect(groupDataOf(over).automaticRollback).toMatchObject({ decision: 'TRIGGERED', status: 'SUCCESS' })
    },
  })
  await expectEachCommandOnce(cloud, await ofAll(parties, ({ user }) => user.list()))
  const runs = (await cloud.instances()).map((instance) => instance.runs)
  expect(runs).toEqual(parties.flatMap(() => ['shop/worker:1', 'shop/worker:1']))
})

test('credentials of machines are withdrawn and no wave runs twice, although each call is the last before a kill', async () => {
  // The credential is the first of the two parameters that are written.
  const fatal = ['PutParameter', 'SendCommand', 'DeleteParameter']
  const { service, cloud, user, group } = await startWithPrivateGroup({
    done(operation) {
      if (operation !== fatal[0]) return
      fatal.shift()
      service.killAndRestart()
    },
  })
  const { id } = await user.deploy(group.moduleInstanceId, './install.sh')
  expect(await user.follow(id)).toMatchObject({ status: 'SUCCESS' })
  expect(service.kills).toBe(3)
  const calls = await cloud.calls({ accepted: true, limit: 100_000 })
  const comments = calls.flatMap(({ operation, request }) =>
    operation === 'SendCommand' ? [(request as { Comment: string }).Comment] : [],
  )
  expect(new Set(comments).size).toBe(comments.length)
  const name = `/sluice/${group.name}/credentials/${id}`
  const ofIt = calls.filter(({ request }) => (request as { Name?: string }).Name === name)
  expect(ofIt.at(-1)?.operation).toBe('DeleteParameter')
})
