import type { BundledPolicy, Deployment, Policy, PolicyOverride, PolicyVerdict, PolicyVersion } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { acceptDeployment } from '../../delivery/deployments/create/accept.ts'
import { lockTarget } from '../../delivery/deployments/store/store.ts'
import { serviceAuthor } from '../../identity/audit-events/author.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { newId } from '../../platform/ids.ts'
import { Client } from '../../testing/client.ts'
import { addServiceAccount } from '../../testing/members.ts'
import { eventsOf, sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { policies } from './tables.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const noLatest = {
  name: 'No latest',
  guards: 'DEPLOYMENTS',
  expression: "deployment.images.all(image, image.tag != 'latest')",
  message: 'Name a version.',
}

const ask = ({ client }: Pick<TestOrganization, 'client'>, more: object = {}) =>
  client.ask('POST', '/policies', { data: { ...noLatest, ...more } })
const make = ({ client }: TestOrganization, more: object = {}) =>
  client.done<Policy>('POST', '/policies', { data: { ...noLatest, ...more } })
const change = ({ client }: TestOrganization, { id }: Policy, data: object) =>
  client.done<Policy>('PATCH', `/policies/${id}`, { data })

const deploy = ({ client }: Pick<TestOrganization, 'client'>, moduleInstanceId: string, image = 'shop/app:latest') =>
  client.ask('POST', '/deployments', {
    data: { moduleInstanceId, description: 'Release', inputs: { image_ref: image } },
  })

const verdictsOn = async ({ client }: TestOrganization, id: string): Promise<PolicyVerdict[]> => {
  const { body } = await client.ask('GET', `/deployments/${id}?include=policies`)
  return (body as { included: { policies: PolicyVerdict[] } }).included.policies
}

const audited = ({ client }: TestOrganization, resourceId: string) =>
  client.done<{ action: string; details?: object }[]>('GET', `/audit-events?resourceId=${resourceId}&limit=100`)

const stopped = { status: 422, body: { code: 'Sluice:Policies:DENIED' } }

describe.concurrent('a policy', () => {
  test('rejects a violation with its message and the remedy', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const { id, version } = await make(org)
    expect(await deploy(org, moduleInstanceId)).toMatchObject({
      status: 422,
      body: {
        code: 'Sluice:Policies:DENIED',
        message: expect.stringMatching(/“No latest” \(version 1\): Name a version\./),
        description: expect.stringContaining(`policies:override, such as admins and owners`),
        metadata: { policyId: id, version, verdict: 'VIOLATED', moduleInstanceId },
      },
    })
    expect(await org.client.done<Deployment[]>('GET', '/deployments')).toEqual([])
    const ann = await org.member('DEVELOPER')
    await Promise.all([deploy(org, moduleInstanceId), deploy({ client: ann }, moduleInstanceId)])
    const denials = async () => (await audited(org, id)).filter(({ action }) => action === 'policies.deny')
    const denial = { details: { name: 'No latest', version, verdict: 'VIOLATED', moduleInstanceId } }
    expect(await denials()).toMatchObject([denial, denial]) // once per caller, regardless of repetitions
    const { membershipId } = await ann.done<{ membershipId: string }>('GET', '/auth/whoami')
    expect(await denials()).toContainEqual(expect.objectContaining({ actorId: membershipId }))
    const { id: released } = await org.deploy(moduleInstanceId)
    const allowed = { policyId: id, version: 1, name: 'No latest', effect: 'DENY', verdict: 'ALLOWED' }
    expect(await verdictsOn(org, released)).toEqual([allowed])
    await org.untilStatus(released, 'SUCCESS')
    expect(await verdictsOn(org, released)).toEqual([allowed])
  })

  test('denies what it cannot be evaluated for', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    await make(org, { expression: "deployment.images[3].tag != 'latest'" })
    expect(await deploy(org, moduleInstanceId)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('could not be evaluated'), metadata: { verdict: 'FAILED' } },
    })
  })

  test('that only warns blocks nothing, and is recorded in the release and the audit log', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const { id } = await make(org, { effect: 'WARN' })
    const failing = await make(org, { effect: 'WARN', expression: 'deployment.images[3].tag == deployment.type' })
    const answer = await deploy(org, moduleInstanceId)
    const { data } = answer.body as { data: Deployment }
    expect(await verdictsOn(org, data.id)).toMatchObject([
      { policyId: id, verdict: 'VIOLATED', message: 'Name a version.' },
      { policyId: failing.id, verdict: 'FAILED' },
    ])
    expect((await audited(org, id))[0]).toMatchObject({
      action: 'policies.warn',
      details: { verdict: 'VIOLATED', version: 1, deploymentId: data.id },
    })
  })

  test('requires approvals of a violating release, by the version of that time, regardless of later changes', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const [ann, bob] = [await org.member('DEVELOPER'), await org.member('DEVELOPER')]
    const { id: teamId } = await org.client.done<{ id: string }>('POST', '/teams', { data: { name: 'Ops' } })
    const { membershipId: memberId } = await ann.done<{ membershipId: string }>('GET', '/auth/whoami')
    await org.client.done('POST', '/team-members', { data: { teamId, memberId } })
    const asks = {
      effect: 'REQUIRE_APPROVAL',
      approval: { requiredApprovals: 1, teamIds: [teamId], excludeStarter: true },
    }
    const nobody = { ...asks, approval: { ...asks.approval, teamIds: ['team_nobody'] } }
    expect((await ask(org, nobody)).body).toMatchObject({ code: 'Sluice:Request:REFERENCE_NOT_FOUND' })
    const policy = await make(org, asks)
    const { data } = (await deploy(org, moduleInstanceId)).body as { data: Deployment }
    await org.until(data.id, 'waiting for approval', ({ data: told }) =>
      JSON.stringify(told).includes('0 of 1 by the rule “No latest”, of Ops but not of who started it'),
    )
    // Required approvals stay required.
    await org.client.ask('DELETE', `/policies/${policy.id}`)
    const approve = (client: Client) => client.ask('POST', `/deployments/${data.id}/approve`, { data: {} })
    expect(await approve(bob)).toMatchObject({ status: 403, body: { code: 'Sluice:ApprovalRules:NOT_COUNTED' } })
    expect((await approve(ann)).status).toBe(200)
    await org.untilStatus(data.id, 'SUCCESS')
    const { id: named } = await org.deploy(moduleInstanceId, 'shop/app:2')
    await org.untilStatus(named, 'SUCCESS')
  })

  test('applies to all operations: pipeline steps, redeployments, and rollbacks if included', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const first = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS')
    const second = await org.untilStatus((await org.deploy(moduleInstanceId, 'shop/app:3')).id, 'SUCCESS')
    const no = { expression: "deployment.images.all(image, image.tag == '4')" }
    const policy = await make(org, no)
    const step = {
      id: 'deploy',
      type: 'deploy',
      with: { module_instance_id: moduleInstanceId, inputs: { image_ref: 'shop/app:5' } },
    }
    const run = await org.pipelines.untilOver((await org.pipelines.run([step])).id)
    expect(run.status).toBe('ERROR')
    expect(await org.pipelines.step(run.id, 'deploy')).toMatchObject({
      status: 'ERROR',
      error: { code: 'Sluice:Policies:DENIED', message: expect.stringContaining('Name a version.') },
    })
    expect((await audited(org, policy.id))[0]).toMatchObject({
      action: 'policies.deny',
      actorType: 'PIPELINE_RUN',
      actorId: run.id,
      details: { version: 1, verdict: 'VIOLATED', moduleInstanceId },
    })
    expect(await org.client.ask('POST', `/deployments/${first.id}/redeploy`)).toMatchObject(stopped)
    await change(org, policy, { rollbacks: true })
    const back = () => org.client.ask('POST', `/deployments/${second.id}/rollback`, { data: {} })
    expect(await back()).toMatchObject(stopped)
    await change(org, policy, { rollbacks: false })
    expect((await back()).status).toBe(201)
  })

  test('is evaluated again when a queued release starts, which ends with the reason if it is denied', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const ann = await org.member('DEVELOPER')
    const held = async () =>
      (await org.client.done<{ id: string }>('POST', '/holds', { data: { moduleInstanceId, reason: 'Prices.' } })).id
    const letGo = (id: string) => org.client.done('POST', `/holds/${id}/lift`, { data: { reason: 'Done.' } })
    const untilWaiting = (id: string) =>
      org.until(id, 'waiting', (one) => eventsOf(one).some(({ stepCode }) => stepCode === 'QUEUED'))
    const first = await held()
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:latest')
    await untilWaiting(id)
    const policy = await make(org)
    await letGo(first)
    expect(await org.untilStatus(id, 'CANCELLED')).toMatchObject({
      error: {
        code: 'Sluice:Policies:RELEASE_STOPPED',
        message: expect.stringContaining('“No latest” (version 1): Name a version.'),
        metadata: { policyId: policy.id },
      },
    })
    expect(await verdictsOn(org, id)).toMatchObject([{ policyId: policy.id, verdict: 'VIOLATED' }])
    expect((await audited(org, policy.id))[0]).toMatchObject({
      action: 'policies.deny',
      details: { deploymentId: id },
    })
    await change(org, policy, { isEnabled: false })
    const second = await held()
    const { id: asked } = await org.deploy(moduleInstanceId, 'shop/app:latest')
    await untilWaiting(asked)
    await change(org, policy, { isEnabled: true, effect: 'REQUIRE_APPROVAL' })
    await letGo(second)
    await org.until(asked, 'waiting for approval', (one) => JSON.stringify(one).includes('by the rule “No latest”'))
    expect((await ann.ask('POST', `/deployments/${asked}/approve`, { data: {} })).status).toBe(200)
    await org.untilStatus(asked, 'SUCCESS')
  })

  test('that is created between a request and the start of a release applies, even if the release never waited', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    // Accepted as by a process that crashed before it sent the message: the reconciler starts it seconds later.
    const trigger = { author: serviceAuthor(org.id), triggeredBy: 'ann', triggeredById: null, source: 'API' } as const
    const wish = { moduleInstanceId, description: 'Release', inputs: { image_ref: 'shop/app:latest' } }
    const { id } = await acceptDeployment(world.db, trigger, wish, () => new Date())
    const policy = await make(org)
    expect(await org.untilStatus(id, 'CANCELLED', 'SUCCESS'), 'look at judgedAgain').toMatchObject({
      status: 'CANCELLED',
      error: { code: 'Sluice:Policies:RELEASE_STOPPED', metadata: { policyId: policy.id } },
    })
  })

  test('that requires more approvals when a release starts does not accept the earlier number', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const [ann, bob] = [await org.member('DEVELOPER'), await org.member('DEVELOPER')]
    const approval = (requiredApprovals: number) => ({ requiredApprovals, teamIds: [], excludeStarter: false })
    const policy = await make(org, { effect: 'REQUIRE_APPROVAL', approval: approval(1) })
    const { id: hold } = await org.client.done<{ id: string }>('POST', '/holds', {
      data: { moduleInstanceId, reason: 'Prices.' },
    })
    const { id } = await org.deploy(moduleInstanceId, 'shop/app:latest')
    const approve = (by: Client) => by.ask('POST', `/deployments/${id}/approve`, { data: {} })
    expect((await approve(ann)).status).toBe(200)
    await change(org, policy, { approval: approval(2) })
    await org.client.done('POST', `/holds/${hold}/lift`, { data: { reason: 'Done.' } })
    await org.until(
      id,
      'waiting for a second approval, by the version of now',
      (one) => one.status !== 'PENDING' || eventsOf(one).some(({ message }) => message?.includes('1 of 2') === true),
    )
    expect((await org.get(id)).status).toBe('PENDING')
    expect((await approve(bob)).status).toBe(200)
    await org.untilStatus(id, 'SUCCESS')
  })

  test('can use the starter and scope of a release', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const expression = [
      "starter.kind == 'SERVICE_ACCOUNT' && starter.role == 'DEVELOPER' && size(starter.teams) == 0",
      "project.givenId == 'shop' && environment.givenId == 'production' && !environment.isRestricted",
      "instance.module != '' && 'image_ref' in deployment.inputs && deployment.source == 'API' && !deployment.isRollback",
    ]
    await make(org, { expression: expression.join(' && ') })
    expect(await deploy(org, moduleInstanceId)).toMatchObject(stopped)
    const robot = new Client(world.url, await addServiceAccount(world.db, org.id, 'DEVELOPER'))
    expect((await deploy({ client: robot }, moduleInstanceId)).status).toBe(201)
  })

  test('can be overridden by a permitted user, with a reason', async () => {
    const org = await world.organization()
    const [one, other] = [await org.service(), await org.service()]
    const { id } = await make(org)
    const past = { data: { moduleInstanceId: one.moduleInstanceId, reason: 'The shop is down.', minutes: 5 } }
    const developer = await org.member('DEVELOPER')
    expect((await developer.ask('POST', `/policies/${id}/overrides`, past)).status).toBe(403)
    const override = await org.client.done<PolicyOverride>('POST', `/policies/${id}/overrides`, past)
    expect(await org.client.done('GET', `/policies/${id}/overrides`)).toEqual([override])
    const { data } = (await deploy(org, one.moduleInstanceId)).body as { data: Deployment }
    expect(await verdictsOn(org, data.id)).toMatchObject([
      { verdict: 'VIOLATED', override: { reason: 'The shop is down.', createdBy: override.createdBy } },
    ])
    expect(await deploy(org, other.moduleInstanceId)).toMatchObject(stopped)
    const [denial, overriding] = await audited(org, id)
    expect(denial).toMatchObject({ action: 'policies.deny', details: { moduleInstanceId: other.moduleInstanceId } })
    expect(overriding).toMatchObject({ action: 'policies.override', details: { reason: 'The shop is down.' } })
  })

  test('applies only to its scope and organization', async () => {
    const [org, another] = [await world.organization(), await world.organization()]
    const [here, there] = [await org.service(), await org.service()]
    const { moduleInstanceId: elsewhere } = await another.service()
    await make(org, { moduleInstanceId: here.moduleInstanceId })
    expect(await deploy(org, here.moduleInstanceId)).toMatchObject(stopped)
    expect((await deploy(org, there.moduleInstanceId)).status).toBe(201)
    const isRuled = async (id: string) => (await world.db.transaction((tx) => lockTarget(tx, id)))?.isRuled
    expect([await isRuled(here.moduleInstanceId), await isRuled(elsewhere)]).toEqual([true, false])
  })
})

describe.concurrent('when a policy is saved', () => {
  test('its expression is checked, and errors have their position', async () => {
    const org = await world.organization()
    const wrong = { expression: "deployment.images.all(i,\n  i.tags != 'latest')" }
    expect(await ask(org, wrong)).toMatchObject({
      status: 422,
      body: {
        code: 'Sluice:Policies:EXPRESSION_INVALID',
        message: expect.stringContaining('There is no tags'),
        metadata: { line: 2, column: 4 },
      },
    })
  })

  test('its tests run, and a failing one is named', async () => {
    const org = await world.organization()
    const given = { deployment: { images: [{ tag: 'latest' }] } }
    const wrong = { name: 'latest is fine', given, expect: 'ALLOWED' }
    expect(await ask(org, { tests: [wrong] })).toMatchObject({
      status: 422,
      body: { code: 'Sluice:Policies:TESTS_FAILED', message: expect.stringContaining('“latest is fine”') },
    })
    const policy = await make(org, { tests: [{ ...wrong, expect: 'VIOLATED' }] })
    const answer = await org.client.ask('PATCH', `/policies/${policy.id}`, { data: { expression: 'true' } })
    expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Policies:TESTS_FAILED' } })
    const missing = { name: 'nothing is known', given: {}, expect: 'VIOLATED' }
    expect(await ask(org, { tests: [missing] })).toMatchObject({ status: 422 })
  })

  test('each change is a version with its author', async () => {
    const org = await world.organization()
    const policy = await make(org)
    const changed = await change(org, policy, { effect: 'WARN', isEnabled: false })
    expect(changed).toMatchObject({ version: 2, effect: 'WARN', expression: noLatest.expression })
    const versions = await org.client.done<PolicyVersion[]>('GET', `/policies/${policy.id}/versions`)
    expect(versions).toMatchObject([
      { version: 2, effect: 'WARN', isEnabled: false, createdBy: policy.createdBy },
      { version: 1, effect: 'DENY', isEnabled: true, expression: noLatest.expression, tests: [] },
    ])
    const { moduleInstanceId } = await org.service()
    expect((await deploy(org, moduleInstanceId)).status).toBe(201)
    expect((await org.client.ask('DELETE', `/policies/${policy.id}`)).status).toBe(204)
    const actions = (await audited(org, policy.id)).map(({ action }) => action)
    expect(actions).toEqual(['policies.delete', 'policies.update', 'policies.create'])
  })

  test('a dry run lists past subjects that it would have blocked, limited to those that the caller can see', async () => {
    const org = await world.organization()
    const [one, other] = [await org.service(), await org.service()]
    const first = await org.untilStatus((await org.deploy(one.moduleInstanceId, 'shop/app:latest')).id, 'SUCCESS')
    const second = await org.deploy(one.moduleInstanceId, 'shop/app:3')
    await org.deploy(other.moduleInstanceId, 'shop/app:latest')
    const dryRun = (more: object) =>
      org.client.ask('POST', '/policies/dry-run', {
        data: { guards: 'DEPLOYMENTS', expression: noLatest.expression, ...more },
      })
    const violated = { deploymentId: first.id, createdAt: first.createdAt, verdict: 'VIOLATED' }
    expect(await dryRun({ moduleInstanceId: one.moduleInstanceId })).toMatchObject({
      status: 200,
      body: { data: { evaluatedCount: 2, since: first.createdAt, blocked: [violated] } },
    })
    expect((await dryRun({})).body).toMatchObject({ data: { evaluatedCount: 3 } })
    const failing = { moduleInstanceId: one.moduleInstanceId, count: 1, expression: "deployment.images[9].tag == 'a'" }
    expect((await dryRun(failing)).body).toMatchObject({
      data: {
        evaluatedCount: 1,
        blocked: [{ deploymentId: second.id, verdict: 'FAILED', reason: expect.stringMatching(/./) }],
      },
    })
    const pipeline = await org.pipelines.create({ steps: [{ id: 'ask', type: 'approval' }] })
    const ofVersions = { guards: 'PIPELINE_VERSIONS', expression: 'size(pipeline.steps) > 1', rollbacks: false }
    expect((await dryRun(ofVersions)).body).toMatchObject({
      data: {
        evaluatedCount: 1,
        blocked: [{ pipelineId: pipeline.id, pipelineVersionId: expect.any(String), verdict: 'VIOLATED' }],
      },
    })
    const refused = { status: 422, body: { code: 'Sluice:Policies:EXPRESSION_INVALID' } }
    expect(await dryRun({ expression: 'deployment.nothing' })).toMatchObject(refused)
    const another = await world.organization()
    const elsewhere = { guards: 'DEPLOYMENTS', expression: 'false', moduleInstanceId: one.moduleInstanceId }
    const answer = await another.client.ask('POST', '/policies/dry-run', { data: elsewhere })
    expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Request:REFERENCE_NOT_FOUND' } })
  })

  test('it can be created from a bundled one', async () => {
    const org = await world.organization()
    const bundled = await org.client.done<BundledPolicy[]>('GET', '/policies/bundled')
    for (const { id: _, ...data } of bundled) await org.client.done('POST', '/policies', { data })
    expect(bundled.length).toBeGreaterThan(3)
  })

  test('it has no narrower scope than a project if it guards pipeline versions', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service()
    const wish = { guards: 'PIPELINE_VERSIONS', expression: 'size(pipeline.steps) < 10' }
    expect((await ask(org, { ...wish, moduleInstanceId })).status).toBe(400)
    expect((await ask(org, { ...wish, projectId: org.pipelines.projectId })).status).toBe(201)
  })

  test('it is one of at most 50', async () => {
    const org = await world.organization()
    const { id } = await make(org)
    const [row] = await world.db.select().from(policies).where(eq(policies.id, id))
    if (!row) throw new Error('the policy was made')
    await world.db.insert(policies).values(Array.from({ length: 49 }, () => ({ ...row, id: newId('pol') })))
    expect(await ask(org)).toMatchObject({ status: 422, body: { code: 'Sluice:Policies:TOO_MANY' } })
    const { moduleInstanceId } = await org.service()
    expect((await org.deploy(moduleInstanceId)).status).toBe('PENDING')
  })
})
