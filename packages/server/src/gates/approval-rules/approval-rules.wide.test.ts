import type { Approval, ApprovalRule, Deployment, DeploymentApproval } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { deployments } from '../../delivery/deployments/store/tables.ts'
import { eq, sql } from '../../platform/db/drizzle.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { addServiceAccount } from '../../testing/members.ts'
import { eventsOf, sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

type Rules = Partial<Omit<ApprovalRule, 'id'>>

const rule = (org: TestOrganization, of: Rules = {}) =>
  org.client.done<ApprovalRule>('POST', '/approval-rules', { data: { name: 'Production', ...of } })

const approve = (client: Client, id: string, data: object = {}) =>
  client.ask('POST', `/deployments/${id}/approve`, { data })
const reject = (client: Client, id: string, data: object = {}) =>
  client.ask('POST', `/deployments/${id}/reject`, { data })
const withdraw = (client: Client, id: string) => client.ask('POST', `/deployments/${id}/withdraw-approval`)

async function approvalOf(client: Client, id: string): Promise<DeploymentApproval> {
  const { body } = await client.ask('GET', `/deployments/${id}?include=approval`)
  const { included } = body as { included?: { approval?: DeploymentApproval } }
  if (!included?.approval) throw new Error(`the approval of ${id} was not told`)
  return included.approval
}

const lastMessage = (deployment: Deployment) => eventsOf(deployment).at(-1)?.message
const untilAsked = (org: TestOrganization, id: string, words = 'waits for approval') =>
  org.until(id, `asking: ${words}`, (one) => lastMessage(one)?.includes(words) === true)

const audited = (org: TestOrganization, resourceId: string) =>
  org.client.done<{ action: string; actorName: string; details?: object }[]>(
    'GET',
    `/audit-events?resourceId=${resourceId}&limit=100`,
  )

const approvals = (org: TestOrganization, id: string) =>
  org.client.done<Approval[]>('GET', `/deployments/${id}/approvals`)

/** Creates an organization with an approval rule, a service, and users who can approve. */
async function guarded(of: Rules = {}) {
  const org = await world.organization({ deploy: { concurrency: { queue_size: 5 } } })
  const { moduleInstanceId } = await org.service()
  const made = await rule(org, of)
  const [ann, bob] = [await org.member('DEVELOPER'), await org.member('DEVELOPER')]
  return { org, moduleInstanceId, rule: made, ann, bob }
}

async function teamOf(org: TestOrganization, ...members: Client[]): Promise<string> {
  const { id } = await org.client.done<{ id: string }>('POST', '/teams', { data: { name: 'Ops' } })
  for (const member of members) {
    const { membershipId } = await member.done<{ membershipId: string }>('GET', '/auth/whoami')
    await org.client.done('POST', '/team-members', { data: { teamId: id, memberId: membershipId } })
  }
  return id
}

const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as { code?: string }).code]

describe.concurrent('a release with an approval rule', () => {
  test('waits and lists who can approve it, starts once enough users have, and stores who they were', async () => {
    const { org, moduleInstanceId, rule, ann, bob } = await guarded({ requiredApprovals: 2 })
    const { id } = await org.deploy(moduleInstanceId)
    const waiting = await untilAsked(org, id)
    expect(waiting.status).toBe('PENDING')
    expect(lastMessage(waiting)).toContain('0 of 2 by the rule “Production”, of users who may approve there')
    const seen = await approvalOf(ann, id)
    expect(seen).toMatchObject({
      isPending: true,
      requestedAt: expect.any(String),
      requirements: [{ ruleId: rule.id, given: 0, isMet: false, requiredApprovals: 2, teams: [] }],
      caller: { canDecide: true, hasApproved: false },
    })
    const first = await approve(ann, id, { comment: 'Looks right.', releaseDigest: seen.releaseDigest })
    expect(first).toMatchObject({ status: 200, body: { data: { status: 'PENDING' } } })
    await untilAsked(org, id, '1 of 2')
    expect(codeOf(await approve(ann, id))).toEqual([422, 'Sluice:ApprovalRules:ALREADY_APPROVED'])
    expect((await approve(bob, id)).status).toBe(200)
    await org.untilStatus(id, 'SUCCESS')
    expect(await approvals(org, id)).toMatchObject([
      { verdict: 'APPROVED', releaseDigest: seen.releaseDigest },
      { verdict: 'APPROVED', comment: 'Looks right.', releaseDigest: seen.releaseDigest },
    ])
    expect(await approvalOf(ann, id)).toMatchObject({
      isPending: false,
      requirements: [{ ruleId: rule.id, given: 2, isMet: true }],
      caller: { canDecide: false, hasApproved: true },
    })
    const { included } = (await org.client.ask('GET', `/deployments/${id}?include=decisions`)).body as {
      included: { decisions: object[] }
    }
    expect(included.decisions).toMatchObject([
      { kind: 'CREATED' },
      { kind: 'APPROVED', reason: 'Looks right.' },
      { kind: 'APPROVED' },
      { kind: 'ENDED' },
    ])
  })

  test('is rejected by a single user, with a reason, and changes nothing', async () => {
    const { org, moduleInstanceId, ann } = await guarded()
    const { id } = await org.deploy(moduleInstanceId)
    await untilAsked(org, id)
    const answer = await reject(ann, id, { comment: 'Not on a Friday.' })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: {
          status: 'CANCELLED',
          error: {
            code: 'Sluice:Deployments:REJECTED',
            message: expect.stringMatching(/^developer-.* turned the release down: Not on a Friday\.$/),
          },
        },
      },
    })
    expect(await approvals(org, id)).toMatchObject([{ verdict: 'REJECTED', comment: 'Not on a Friday.' }])
    expect(await audited(org, id)).toMatchObject([
      { action: 'deployments.reject', details: { comment: 'Not on a Friday.', status: 'CANCELLED' } },
      { action: 'deployments.create' },
    ])
    expect(codeOf(await approve(ann, id))).toEqual([422, 'Sluice:Deployments:NO_PENDING_APPROVAL'])
    expect(await org.calls('UpdateService')).toEqual([])
  })

  test('does not count its starter, members of other teams and service accounts, and says why', async () => {
    const { org, moduleInstanceId, rule: made, ann, bob } = await guarded({ excludeStarter: true })
    const teamId = await teamOf(org, ann)
    await org.client.done('PATCH', `/approval-rules/${made.id}`, { data: { teamIds: [teamId] } })
    const robot = new Client(world.url, await addServiceAccount(world.db, org.id, 'DEVELOPER'))
    const body = { data: { moduleInstanceId, description: 'By Ann', inputs: { image_ref: 'shop/app:2' } } }
    const { id } = await ann.done<Deployment>('POST', '/deployments', body)
    await untilAsked(org, id, 'of Ops but not of who started it')
    for (const [client, why] of [
      [ann, /You started it/],
      [bob, /none of the teams/],
      [robot, /not service accounts/],
    ] as const) {
      const answer = await approve(client, id)
      expect(answer).toMatchObject({
        status: 403,
        body: { code: 'Sluice:ApprovalRules:NOT_COUNTED', message: expect.stringMatching(why) },
      })
      expect((await reject(client, id)).status).toBe(403)
      expect((await approvalOf(client, id)).caller).toMatchObject({
        canDecide: false,
        reason: expect.stringMatching(why),
      })
    }
    const viewer = await org.member('VIEWER')
    expect((await approve(viewer, id)).status).toBe(403)
    // Bob joins the team, and counts from then on.
    const { membershipId: memberId } = await bob.done<{ membershipId: string }>('GET', '/auth/whoami')
    const joined = await org.client.done<{ id: string }>('POST', '/team-members', { data: { teamId, memberId } })
    expect((await approve(bob, id)).status).toBe(200)
    await org.untilStatus(id, 'SUCCESS')
    await org.client.ask('DELETE', `/team-members/${joined.id}`)
  })

  test('does not start after an approval was withdrawn', async () => {
    const { org, moduleInstanceId, ann, bob } = await guarded({ requiredApprovals: 2 })
    const { id } = await org.deploy(moduleInstanceId)
    await untilAsked(org, id)
    await approve(ann, id)
    expect((await withdraw(ann, id)).status).toBe(200)
    expect(codeOf(await withdraw(ann, id))).toEqual([422, 'Sluice:ApprovalRules:NOT_APPROVED'])
    await approve(bob, id)
    await untilAsked(org, id, '1 of 2')
    expect((await org.get(id)).status).toBe('PENDING')
    await approve(ann, id)
    await org.untilStatus(id, 'SUCCESS')
    expect(codeOf(await withdraw(ann, id))).toEqual([422, 'Sluice:Deployments:NO_PENDING_APPROVAL'])
  })

  test('rejects an approval of another release than the approver has seen', async () => {
    const { org, moduleInstanceId, ann } = await guarded()
    const { id } = await org.deploy(moduleInstanceId)
    const other = await org.deploy(moduleInstanceId, 'shop/app:3')
    const { releaseDigest } = await approvalOf(ann, other.id)
    expect(codeOf(await approve(ann, id, { releaseDigest }))).toEqual([422, 'Sluice:ApprovalRules:RELEASE_CHANGED'])
    expect(codeOf(await reject(ann, id, { releaseDigest }))).toEqual([422, 'Sluice:ApprovalRules:RELEASE_CHANGED'])
    expect(await approvals(org, id)).toEqual([])
  })

  test('is superseded by a newer one that was approved first', async () => {
    const { org, moduleInstanceId, ann } = await guarded()
    const older = await org.deploy(moduleInstanceId)
    const newer = await org.deploy(moduleInstanceId, 'shop/app:3')
    await Promise.all([untilAsked(org, older.id), untilAsked(org, newer.id)])
    await approve(ann, newer.id)
    await org.untilStatus(newer.id, 'SUCCESS')
    expect(await org.get(older.id)).toMatchObject({
      status: 'CANCELLED',
      error: { code: 'Sluice:Deployments:SUPERSEDED', metadata: { supersededByDeploymentId: newer.id } },
    })
  })

  test('is evaluated by the current rules: a looser one lets it start, a stricter one blocks it', async () => {
    const { org, moduleInstanceId, rule, ann, bob } = await guarded({ requiredApprovals: 3 })
    const { id } = await org.deploy(moduleInstanceId)
    await untilAsked(org, id)
    await approve(ann, id)
    const change = (requiredApprovals: number) =>
      org.client.done('PATCH', `/approval-rules/${rule.id}`, { data: { requiredApprovals } })
    await change(2)
    await untilAsked(org, id, '1 of 2')
    await change(4)
    await approve(bob, id)
    await untilAsked(org, id, '2 of 4')
    await change(2)
    await org.untilStatus(id, 'SUCCESS')
    const second = await org.deploy(moduleInstanceId, 'shop/app:3')
    await untilAsked(org, second.id)
    await org.client.ask('DELETE', `/approval-rules/${rule.id}`)
    await org.untilStatus(second.id, 'SUCCESS')
    expect(codeOf(await approve(ann, second.id))).toEqual([422, 'Sluice:Deployments:NO_PENDING_APPROVAL'])
  })

  test('is cancelled with the reason when it is not approved in time', async () => {
    const { org, moduleInstanceId, rule } = await guarded({ expiresAfterMinutes: 60 })
    const { id } = await org.deploy(moduleInstanceId)
    expect(lastMessage(await untilAsked(org, id))).toMatch(/, until 20\S+Z\. Who is asked/)
    const { requestedAt } = await approvalOf(org.client, id)
    expect(requestedAt).toBeDefined()
    // Simulates a longer wait.
    await agedBy(id, 61)
    await org.client.done('PATCH', `/approval-rules/${rule.id}`, { data: { name: 'Still production' } })
    const ended = await org.untilStatus(id, 'CANCELLED')
    expect(ended.error).toMatchObject({
      code: 'Sluice:Deployments:NOT_APPROVED',
      message: expect.stringContaining('It was not approved in time: 0 of 1 by the rule “Still production”'),
    })
    expect(await audited(org, id)).toMatchObject([{ action: 'deployments.end' }, { action: 'deployments.create' }])
  })

  test('does not start by the approval of a user who has left since', async () => {
    const { org, moduleInstanceId, ann, bob } = await guarded({ requiredApprovals: 2 })
    const { id } = await org.deploy(moduleInstanceId)
    await untilAsked(org, id)
    await approve(ann, id)
    const { membershipId } = await ann.done<{ membershipId: string }>('GET', '/auth/whoami')
    await org.client.ask('DELETE', `/memberships/${membershipId}`)
    await approve(bob, id)
    expect(await approvalOf(bob, id), 'look at loadApprovals of gates/approval-rules').toMatchObject({
      requirements: [{ given: 1, isMet: false }],
    })
    expect((await org.get(id)).status).toBe('PENDING')
    await approve(org.client, id)
    await org.untilStatus(id, 'SUCCESS')
  })

  test('waits for a rollback only if the rule includes rollbacks', async () => {
    const { org, moduleInstanceId, rule, ann } = await guarded()
    const release = async (image: string) => {
      const { id } = await org.deploy(moduleInstanceId, image)
      await approve(ann, id)
      return org.untilStatus(id, 'SUCCESS')
    }
    const [first, second] = [await release('shop/app:2'), await release('shop/app:3')]
    const back = await org.rollback(second.id, first.id)
    await org.untilStatus(back.id, 'SUCCESS')
    await org.client.done('PATCH', `/approval-rules/${rule.id}`, { data: { rollbacks: true } })
    const third = await release('shop/app:4')
    const again = await org.rollback(third.id, first.id)
    await untilAsked(org, again.id)
    await approve(ann, again.id)
    await org.untilStatus(again.id, 'SUCCESS')
    const repeated = await org.redeploy(third.id)
    await untilAsked(org, repeated.id)
  })
})

describe.concurrent('a rule', () => {
  test('that only warns blocks nothing, and records what it would have required', async () => {
    const { org, moduleInstanceId, rule, ann } = await guarded({ mode: 'WARN', requiredApprovals: 2 })
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilStatus(id, 'SUCCESS')
    expect(await approvalOf(ann, id)).toMatchObject({
      isPending: false,
      requirements: [{ ruleId: rule.id, mode: 'WARN', given: 0, isMet: false, requiredApprovals: 2 }],
    })
    expect(await audited(org, rule.id)).toMatchObject([
      { action: 'approval-rules.warn', details: { deploymentId: id, requiredApprovals: 2, given: 0 } },
      { action: 'approval-rules.create' },
    ])
  })

  test('for another instance does not apply', async () => {
    const { org, rule, ann } = await guarded({ mode: 'WARN' })
    const [one, other] = [await org.service(), await org.service()]
    await org.client.ask('DELETE', `/approval-rules/${rule.id}`)
    await org.client.done('POST', '/approval-rules', {
      data: { name: 'One', moduleInstanceId: one.moduleInstanceId },
    })
    const [kept, free] = [await org.deploy(one.moduleInstanceId), await org.deploy(other.moduleInstanceId)]
    await Promise.all([untilAsked(org, kept.id), org.untilStatus(free.id, 'SUCCESS')])
    expect(codeOf(await approve(ann, free.id))).toEqual([422, 'Sluice:Deployments:NO_PENDING_APPROVAL'])
  })

  test('still requires approvals when its team is deleted, until the rule is changed', async () => {
    const { org, moduleInstanceId, rule, ann } = await guarded()
    const teamId = await teamOf(org, ann)
    await org.client.done('PATCH', `/approval-rules/${rule.id}`, { data: { teamIds: [teamId] } })
    await org.client.ask('DELETE', `/teams/${teamId}`)
    const { id } = await org.deploy(moduleInstanceId)
    await untilAsked(org, id, 'of a team that is gone')
    expect((await approve(ann, id)).status).toBe(403)
    await org.client.done('PATCH', `/approval-rules/${rule.id}`, { data: { teamIds: [] } })
    expect((await approve(ann, id)).status).toBe(200)
    await org.untilStatus(id, 'SUCCESS')
  })

  test('must name existing teams', async () => {
    const { org, rule } = await guarded()
    const answer = await org.client.ask('PATCH', `/approval-rules/${rule.id}`, { data: { teamIds: ['team_x'] } })
    expect(answer).toMatchObject({ status: 422, body: { metadata: { field: 'teamIds', id: 'team_x' } } })
  })
})

describe.concurrent('concurrent decisions', () => {
  test('by two approvers both count, and the release starts once', async () => {
    const { org, moduleInstanceId, ann, bob } = await guarded({ requiredApprovals: 2 })
    const { id } = await org.deploy(moduleInstanceId)
    await untilAsked(org, id)
    const answers = await Promise.all([approve(ann, id), approve(bob, id), approve(ann, id), approve(bob, id)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 422, 422])
    await org.untilStatus(id, 'SUCCESS')
    expect(await org.calls('UpdateService')).toHaveLength(1)
  })

  test('to approve and to reject or cancel: the first one takes effect, and a finished release stays unchanged', async () => {
    const { org, ann, bob } = await guarded()
    const services = [await org.service(), await org.service(), await org.service(), await org.service()]
    const ends = services.map(async ({ moduleInstanceId }, at) => {
      const { id } = await org.deploy(moduleInstanceId)
      await untilAsked(org, id)
      const isRejected = at % 2 === 0
      const against = isRejected ? reject(bob, id) : org.client.ask('POST', `/deployments/${id}/cancel`)
      const [yes, no] = await Promise.all([approve(ann, id), against])
      expect([200, 422]).toContain(yes.status)
      const ended = await org.untilStatus(id, 'SUCCESS', 'CANCELLED', 'ROLLED_BACK')
      if (isRejected && no.status === 200) expect([ended.status, ended.startedAt]).toEqual(['CANCELLED', undefined])
      if (no.status !== 200) expect(yes.status).toBe(200)
      return ended
    })
    expect(await Promise.all(ends)).toHaveLength(4)
  })

  test('and changes of the rule: the release starts by the final rule', async () => {
    const { org, moduleInstanceId, rule, ann, bob } = await guarded()
    for (const image of ['shop/app:2', 'shop/app:3', 'shop/app:4']) {
      await org.client.done('PATCH', `/approval-rules/${rule.id}`, { data: { requiredApprovals: 1 } })
      const { id } = await org.deploy(moduleInstanceId, image)
      await untilAsked(org, id)
      const stricter = org.client.ask('PATCH', `/approval-rules/${rule.id}`, { data: { requiredApprovals: 2 } })
      await Promise.all([approve(ann, id), stricter])
      const seen = await eventually(
        `${id} to be judged`,
        () => org.get(id),
        (one) => one.status !== 'PENDING' || lastMessage(one)?.includes('1 of 2') === true,
      )
      if (seen.status === 'PENDING') expect((await approve(bob, id)).status).toBe(200)
      await org.untilStatus(id, 'SUCCESS')
    }
  })
})

/** Backdates the start of a deployment's wait for approval by this many minutes. */
async function agedBy(id: string, minutes: number): Promise<void> {
  const [row] = await world.db.select().from(deployments).where(eq(deployments.id, id))
  const askedAt = row?.data.approval?.askedAt
  if (!row || askedAt === undefined) throw new Error(`${id} was not asked about`)
  const earlier = new Date(Date.parse(askedAt) - minutes * 60_000).toISOString()
  const data = sql`jsonb_set(${deployments.data}, '{approval,askedAt}', ${JSON.stringify(earlier)}::jsonb)`
  await world.db.update(deployments).set({ data }).where(eq(deployments.id, id))
}
