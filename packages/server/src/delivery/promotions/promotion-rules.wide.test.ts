import type { Deployment, DeploymentPromotion, Hold, ModuleInstance, PromotionRule } from '@sluice/contract'
import pino from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { desc, eq } from '../../platform/db/drizzle.ts'
import { connectEngine } from '../../platform/engine/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { evaluateRule } from './automatic.ts'
import { type PromotionRow, promotionRules, promotions } from './tables.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

type Wish = Partial<Pick<PromotionRule, 'soakMinutes' | 'start' | 'mode' | 'reason'>>

/** Creates a service in two consecutive environments, and a rule for the step between them. */
async function staged(wish: Wish = {}) {
  const org = await world.organization({ deploy: { concurrency: { queue_size: 5 } } })
  const { client } = org
  const [here, there] = [await org.service(), await org.service()]
  const { givenId, environmentId: from, projectId } = await instanceOf(org, here.moduleInstanceId)
  const data = { projectId, givenId: 'later', name: 'Later' }
  const { id: to } = await client.done<{ id: string }>('POST', '/environments', { data })
  await world.db
    .update(moduleInstances)
    .set({ environmentId: to, givenId })
    .where(eq(moduleInstances.id, there.moduleInstanceId))
  const step = { fromEnvironmentId: from, environmentId: to }
  const rule = await client.done<PromotionRule>('POST', '/promotion-rules', { data: { ...step, ...wish } })
  const release = async (image?: string) =>
    org.untilStatus((await org.deploy(here.moduleInstanceId, image)).id, 'SUCCESS')
  return { org, here, there, step, rule, release }
}

const instanceOf = ({ client }: TestOrganization, id: string) =>
  client.done<ModuleInstance>('GET', `/module-instances/${id}`)

const promote = (
  { id }: Deployment,
  moduleInstanceId: string,
  more: object,
  { client }: Pick<TestOrganization, 'client'>,
) => client.ask('POST', `/deployments/${id}/promote`, { data: { moduleInstanceId, ...more } })

const audited = ({ client }: TestOrganization, resourceId: string) =>
  client.done<{ action: string; actorName: string; details?: object }[]>(
    'GET',
    `/audit-events?resourceId=${resourceId}&limit=100`,
  )

const promotionOf = async ({ client }: TestOrganization, { id }: Deployment): Promise<DeploymentPromotion> => {
  const { body } = await client.ask('GET', `/deployments/${id}?include=promotion`)
  return (body as { included: { promotion: DeploymentPromotion } }).included.promotion
}

const promotedTo = async ({ client }: TestOrganization, moduleInstanceId: string) => {
  const all = await client.done<Deployment[]>('GET', `/deployments?limit=100&moduleInstanceId=${moduleInstanceId}`)
  return all.filter(({ triggerSource }) => triggerSource === 'PROMOTION')
}

/** Makes a rule due for evaluation now. */
const lookSoon = ({ id }: PromotionRule) =>
  world.db
    .update(promotionRules)
    .set({ lookAt: new Date(0) })
    .where(eq(promotionRules.id, id))

const latest = async ({ id }: PromotionRule): Promise<PromotionRow | undefined> =>
  (await world.db.select().from(promotions).where(eq(promotions.promotionRuleId, id)).orderBy(desc(promotions.id)))[0]

const untilKept = async (rule: PromotionRule, what: Partial<PromotionRow>) => {
  await lookSoon(rule)
  const isThere = (row?: PromotionRow) =>
    row !== undefined && Object.entries(what).every(([field, value]) => Reflect.get(row, field) === value)
  const kept = await eventually(`a promotion with ${JSON.stringify(what)}`, () => latest(rule), isThere)
  if (!kept) throw new Error('no promotion is kept')
  return kept
}

/** Evaluates a rule as another process would. */
async function lookToo({ id }: PromotionRule): Promise<void> {
  const [row] = await world.db.select().from(promotionRules).where(eq(promotionRules.id, id))
  if (!row) throw new Error('the rule is gone')
  const parts = { db: world.db, ofOrganization: () => world.db, cloud: world.access, clock: () => new Date() }
  const engine = connectEngine({ url: 'http://127.0.0.1:9' }) // no messages are needed, because the row has the state
  await evaluateRule({ ...parts, engine, log: pino({ level: 'silent' }) }, row)
}

describe.concurrent('a manual promotion', () => {
  test('waits for the soak time of its rule, unless a permitted user overrides it with a reason', async () => {
    const { org, there, rule, release } = await staged({ soakMinutes: 60, reason: 'Let it stand for an hour.' })
    const released = await release('shop/app:2.1.0')
    const { status, body } = await promote(released, there.moduleInstanceId, {}, org)
    expect([status, body]).toMatchObject([
      422,
      {
        code: 'Sluice:PromotionRules:NOT_SOAKED',
        message: expect.stringContaining(rule.id),
        description: expect.stringMatching(/Let it stand for an hour\..*promotion-rules:override/),
        metadata: { promotionRuleId: rule.id, blocker: 'SOAKING', until: expect.stringMatching(/Z$/) },
      },
    ])
    const override = { override: { reason: 'The shop is down.' } }
    expect(await promotionOf(org, released)).toMatchObject({
      promotionCandidates: [
        { promotionRuleId: rule.id, blocker: 'SOAKING', canPromoteManually: false, until: expect.stringMatching(/Z$/) },
      ],
    })
    const services = await org.client.ask(
      'GET',
      `/services?projectId=${rule.projectId}&limit=100&include=promotionCandidates`,
    )
    const { included } = services.body as { included: { promotionCandidates: Record<string, object[]> } }
    expect(Object.values(included.promotionCandidates).flat()).toMatchObject([
      {
        deploymentId: released.id,
        moduleInstanceId: there.moduleInstanceId,
        promotionRuleId: rule.id,
        blocker: 'SOAKING',
        canPromoteManually: false,
        until: expect.stringMatching(/Z$/),
      },
    ])
    const developer = { client: await org.member('DEVELOPER') }
    expect((await promote(released, there.moduleInstanceId, override, developer)).status).toBe(403)
    const answer = await promote(released, there.moduleInstanceId, override, org)
    const { data } = answer.body as { data: Deployment }
    expect(data.triggerSource).toBe('API')
    expect(await promotionOf(org, data)).toMatchObject({ fromDeploymentId: released.id, promotionCandidates: [] })
    expect(await audited(org, rule.id)).toContainEqual(
      expect.objectContaining({
        action: 'promotion-rules.override',
        details: expect.objectContaining({ reason: 'The shop is down.', blocker: 'SOAKING', deploymentId: data.id }),
      }),
    )
  })

  test('requires a live release that has soaked for long enough', async () => {
    const { org, there, rule, release } = await staged({ soakMinutes: 60 })
    const older = await release('shop/app:1.0.0')
    const released = await release('shop/app:1.1.0')
    expect((await promote(older, there.moduleInstanceId, {}, org)).body).toMatchObject({
      metadata: { blocker: 'NOT_LIVE' },
    })
    await untilKept(rule, { sourceDeploymentId: released.id, blocker: 'SOAKING' })
    await world.db
      .update(promotions)
      .set({ healthySince: new Date(Date.now() - 3_600_000) })
      .where(eq(promotions.promotionRuleId, rule.id))
    await untilKept(rule, { blocker: 'MANUAL', status: 'WAITING' })
    expect((await promote(released, there.moduleInstanceId, {}, org)).status).toBe(201)
    expect(await promotedTo(org, there.moduleInstanceId)).toEqual([])
  })

  test('continues with a recorded warning if the rule only warns', async () => {
    const { org, there, rule, release } = await staged({ soakMinutes: 60, mode: 'WARN' })
    const released = await release()
    expect((await promote(released, there.moduleInstanceId, {}, org)).status).toBe(201)
    expect((await audited(org, rule.id))[0]).toMatchObject({
      action: 'promotion-rules.warn',
      details: { blocker: 'SOAKING', sourceDeploymentId: released.id },
    })
  })
})

describe.concurrent('an automatic promotion', () => {
  test('waits with a reason while a policy blocks it, and continues after that', async () => {
    const { org, there, rule, release } = await staged({ start: 'AUTOMATIC' })
    const policy = {
      name: 'Not yet',
      guards: 'DEPLOYMENTS',
      moduleInstanceId: there.moduleInstanceId,
      expression: '!deployment.isPromotion',
      message: 'Not yet.',
    }
    const { id } = await org.client.done<{ id: string }>('POST', '/policies', { data: policy })
    await release()
    const { message } = await untilKept(rule, { blocker: 'DENIED' })
    expect(message).toContain('“Not yet” (version 1): Not yet.')
    await org.client.done('PATCH', `/policies/${id}`, { data: { effect: 'WARN' } })
    await untilKept(rule, { status: 'RELEASED' })
    const [promoted] = await promotedTo(org, there.moduleInstanceId)
    const { body } = await org.client.ask('GET', `/deployments/${promoted?.id}?include=policies`)
    expect(body).toMatchObject({ included: { policies: [{ policyId: id, version: 2, verdict: 'VIOLATED' }] } })
  })

  test('happens once with the original inputs, regardless of concurrent evaluations', async () => {
    const { org, there, rule, release } = await staged({ start: 'MANUAL' })
    const released = await release('shop/app:3.1.4')
    await untilKept(rule, { sourceDeploymentId: released.id, blocker: 'MANUAL' })
    await world.db.update(promotionRules).set({ start: 'AUTOMATIC' }).where(eq(promotionRules.id, rule.id))
    await Promise.all([lookToo(rule), lookToo(rule), lookSoon(rule), lookToo(rule)])
    const kept = await untilKept(rule, { status: 'RELEASED' })
    await lookToo(rule)
    const promoted = await promotedTo(org, there.moduleInstanceId)
    expect(promoted).toMatchObject([{ id: kept.deploymentId }])
    const done = await org.untilStatus(kept.deploymentId ?? '', 'SUCCESS')
    expect(JSON.stringify(done.data)).toMatch(/shop\/app:3\.1\.4@sha256:/)
    expect((await audited(org, rule.id))[0]).toMatchObject({
      action: 'promotion-rules.release',
      actorName: 'Promotion',
      details: { sourceDeploymentId: released.id, deploymentId: done.id },
    })
  })

  test('waits for a hold, is superseded by a newer one meanwhile, and continues when the hold is lifted', async () => {
    const { org, there, rule, release } = await staged({ start: 'AUTOMATIC' })
    const { moduleInstanceId } = there
    const hold = await org.client.done<Hold>('POST', '/holds', { data: { moduleInstanceId, reason: 'Wait.' } })
    const older = await release('shop/app:1')
    const waiting = await untilKept(rule, { sourceDeploymentId: older.id, blocker: 'HELD' })
    expect(waiting.message).toContain(`/holds/${hold.id}/lift`)
    const { promotionCandidates } = await promotionOf(org, older)
    expect(promotionCandidates).toMatchObject([
      { moduleInstanceId, blocker: 'HELD', message: waiting.message, canPromoteManually: true },
    ])
    expect(promotionCandidates[0]?.gates).toMatchObject([{ kind: 'HOLD', message: waiting.message }])
    expect(promotionCandidates[0]?.inputs).toContainEqual(expect.objectContaining({ to: there.serviceArn }))
    expect(promotionCandidates[0]?.images).toMatchObject([{ image: expect.stringContaining('shop/app:1') }])
    const newer = await release('shop/app:2')
    await untilKept(rule, { sourceDeploymentId: newer.id, blocker: 'HELD' })
    expect(await promotedTo(org, moduleInstanceId)).toEqual([])
    await org.client.done('POST', `/holds/${hold.id}/lift`, { data: { reason: 'Go.' } })
    await untilKept(rule, { status: 'RELEASED', sourceDeploymentId: newer.id })
    const [promoted] = await promotedTo(org, moduleInstanceId)
    expect(promoted && (await promotionOf(org, promoted)).fromDeploymentId).toBe(newer.id)
    const [passed] = await world.db.select().from(promotions).where(eq(promotions.id, waiting.id))
    expect(passed).toMatchObject({ status: 'PASSED_OVER', blocker: 'REPLACED' })
  })

  test('does not happen during a rollback, and excludes the target of the rollback', async () => {
    const { org, there, rule, release } = await staged({ soakMinutes: 60, start: 'AUTOMATIC' })
    await release('shop/app:1')
    const bad = await release('shop/app:2')
    await untilKept(rule, { sourceDeploymentId: bad.id, blocker: 'SOAKING' })
    await world.db.update(promotionRules).set({ soakMinutes: 0 }).where(eq(promotionRules.id, rule.id))
    const back = await org.rollback(bad.id)
    await lookToo(rule)
    await org.untilStatus(back.id, 'SUCCESS')
    await untilKept(rule, { sourceDeploymentId: back.id, status: 'PASSED_OVER', blocker: 'ROLLBACK' })
    expect(await promotedTo(org, there.moduleInstanceId)).toEqual([])
  })

  test('does not replace a newer release in the target', async () => {
    const { org, there, rule, release } = await staged({ soakMinutes: 60, start: 'AUTOMATIC' })
    const released = await release('shop/app:1')
    await untilKept(rule, { sourceDeploymentId: released.id, blocker: 'SOAKING' })
    await org.untilStatus((await org.deploy(there.moduleInstanceId, 'shop/app:hotfix')).id, 'SUCCESS')
    await org.client.done('PATCH', `/promotion-rules/${rule.id}`, { data: { soakMinutes: 0 } })
    await untilKept(rule, { status: 'PASSED_OVER', blocker: 'NEWER_IN_TARGET' })
  })

  test("requires that the rule's author still has the permission to deploy there", async () => {
    const { org, there, rule, release } = await staged({ start: 'AUTOMATIC', soakMinutes: 60 })
    await world.db
      .update(promotionRules)
      .set({ writtenById: 'mem_gone', soakMinutes: 0 })
      .where(eq(promotionRules.id, rule.id))
    const released = await release()
    await untilKept(rule, { sourceDeploymentId: released.id, blocker: 'PERMISSION_DENIED', status: 'WAITING' })
    expect(await promotedTo(org, there.moduleInstanceId)).toEqual([])
    await org.client.done('PATCH', `/promotion-rules/${rule.id}`, { data: { soakMinutes: 0 } })
    await untilKept(rule, { status: 'RELEASED' })
  })
})

test('a rule belongs to a forward step in one project, of which each has at most one', async () => {
  const { org, step, rule } = await staged()
  const ask = (data: object) => org.client.ask('POST', '/promotion-rules', { data })
  expect(await ask(step)).toMatchObject({ status: 409, body: { code: 'Sluice:PromotionRules:EXISTS' } })
  const back = { fromEnvironmentId: step.environmentId, environmentId: step.fromEnvironmentId }
  expect(await ask(back)).toMatchObject({ status: 422, body: { code: 'Sluice:PromotionRules:STEP_INVALID' } })
  expect((await org.client.ask('DELETE', `/promotion-rules/${rule.id}`)).status).toBe(204)
  expect((await ask({ ...step, start: 'AUTOMATIC' })).status).toBe(201)
})
