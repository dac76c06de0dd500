import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Deployment, isDeploymentOver, type Route, routes } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineStepExecutions } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { Client } from '../../testing/client.ts'
import { eventually } from '../../testing/eventually.ts'
import { addMember } from '../../testing/members.ts'
import { bodyFor, target } from '../../testing/requests.ts'
import { createOneOfEverything } from '../../testing/resources.ts'
import { blueGreen, pausing } from '../../testing/strategies.ts'
import { eventsOf, sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { effects, type Gate, ownActions, type Row, requests, steps } from './table.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const rows: Record<string, Row> = {
  ...requests,
  ...Object.fromEntries(
    Object.entries<Row | undefined>(steps).flatMap(([type, row]) => (row ? [[`step ${type}`, row]] : [])),
  ),
  ...ownActions,
}

/** Records on which an operation is tested. */
type Scene = {
  org: TestOrganization
  /** Client that can deploy, without administrative permissions. */
  developer: Client
  moduleInstanceId: string
  first: Deployment
  second: Deployment
}

/** Creates a service with two successful releases. */
async function scene(strategy: Record<string, unknown> | null = null): Promise<Scene> {
  const org = await world.organization({ deploy: { concurrency: { queue_size: 5 } } })
  const { moduleInstanceId } = await org.service(strategy)
  const released = async (image: string) => org.continueToEnd((await org.deploy(moduleInstanceId, image)).id)
  const [first, second] = [await released('shop/app:2'), await released('shop/app:3')]
  return { org, developer: await org.member('DEVELOPER'), moduleInstanceId, first, second }
}

/** Creates a service whose last release can be promoted to another environment, which has the gates. */
async function staged(): Promise<Scene & { source: Deployment; step: object }> {
  const here = await scene()
  const { org } = here
  const { projectId, environmentId, givenId } = await org.client.done<{
    projectId: string
    environmentId: string
    givenId: string
  }>('GET', `/module-instances/${here.moduleInstanceId}`)
  const data = { projectId, givenId: 'later', name: 'Later' }
  const later = await org.client.done<{ id: string }>('POST', '/environments', { data })
  const { moduleInstanceId } = await org.service()
  const place = { environmentId: later.id, givenId }
  await world.db.update(moduleInstances).set(place).where(eq(moduleInstances.id, moduleInstanceId))
  const step = { fromEnvironmentId: environmentId, environmentId: later.id }
  return { ...here, moduleInstanceId, source: here.second, step }
}

/** Closed gate, with the function that opens it. */
type Closed = { open(): Promise<unknown> }

const allDay = { cron: '0 0 * * *', minutes: 1440, timeZone: 'UTC' }

async function close({ client }: TestOrganization, path: string, data: object): Promise<Closed> {
  const { id } = await client.done<{ id: string }>('POST', path, { data })
  if (path !== '/holds') return { open: () => client.ask('DELETE', `${path}/${id}`) }
  return { open: () => client.ask('POST', `/holds/${id}/lift`, { data: { reason: 'Tried.' } }) }
}

const hold = ({ org, moduleInstanceId }: Scene) => close(org, '/holds', { moduleInstanceId, reason: 'Wait.' })
const freeze = (act: string) => (on: Scene) => {
  const place = act === 'APPLIES' ? {} : { moduleInstanceId: on.moduleInstanceId }
  return close(on.org, '/freezes', { ...place, name: 'Quiet', reason: 'Away.', stops: [act], window: allDay })
}
const approvalRule = (guards: string) => (on: Scene) => {
  const place = guards === 'DEPLOYMENTS' ? { moduleInstanceId: on.moduleInstanceId } : {}
  return close(on.org, '/approval-rules', {
    ...place,
    name: 'Two',
    requiredApprovals: 2,
    guards: [guards],
    rollbacks: true,
  })
}
const never = { name: 'Never', expression: 'false', message: 'No.' }
const policy = ({ org, moduleInstanceId }: Scene) =>
  close(org, '/policies', { ...never, moduleInstanceId, guards: 'DEPLOYMENTS', rollbacks: true })
const policyOnPlans = ({ org }: Scene) =>
  close(org, '/policies', { ...never, guards: 'PLANS', effect: 'REQUIRE_APPROVAL' })

/** Text by which the blocking gate is recognized. */
const signs = {
  HOLD: /\/holds\/hld_/,
  FREEZE: /freeze “Quiet”|the end of a freeze/,
  APPROVAL_RULE: /\/approve|PENDING_APPROVAL/,
  POLICY: /Sluice:Policies:DENIED|PENDING_APPROVAL/,
  PROMOTION_RULE: /Sluice:PromotionRules:NOT_SOAKED/,
  RELEASE_ORDER: /Sluice:Deployments:ROLLBACK_TARGET_NEWER/,
} as const satisfies Partial<Record<Gate, RegExp>>
type Tried = keyof typeof signs

/** Waits until a deployment starts, queues or ends, cancels it, and returns its state as text. */
async function outcomeOf({ client }: TestOrganization, id: string): Promise<string> {
  const seen = await eventually(
    `${id} to begin or to say why it does not`,
    () => client.done<Deployment>('GET', `/deployments/${id}`),
    (one) => one.startedAt !== undefined || isDeploymentOver(one.status) || eventsOf(one).at(-1)?.stepCode === 'QUEUED',
  )
  await client.ask('POST', `/deployments/${id}/cancel`)
  return seen.startedAt === undefined ? JSON.stringify(seen) : `it began: ${JSON.stringify(seen)}`
}

/** Returns the result of a request for a deployment. */
async function asked({ org }: Scene, answer: Awaited<ReturnType<Client['ask']>>): Promise<string> {
  if (answer.status >= 300) return JSON.stringify(answer.body)
  return outcomeOf(org, (answer.body as { data: Deployment }).data.id)
}

type Trial = {
  scene(): Promise<Scene>
  gates: Partial<Record<Tried, (on: Scene) => Promise<Closed>>>
  /** Executes the operation and returns its result. */
  begin(on: Scene): Promise<string>
}

const ofReleases = {
  HOLD: hold,
  FREEZE: freeze('RELEASES'),
  APPROVAL_RULE: approvalRule('DEPLOYMENTS'),
  POLICY: policy,
}

/** Tests of the operations that start a release or change infrastructure. */
const trials: Record<string, Trial> = {
  createDeployment: {
    scene,
    gates: ofReleases,
    begin: async (on) => {
      const data = { moduleInstanceId: on.moduleInstanceId, description: 'New', inputs: { image_ref: 'shop/app:4' } }
      return asked(on, await on.developer.ask('POST', '/deployments', { data }))
    },
  },
  redeployDeployment: {
    scene,
    gates: ofReleases,
    begin: async (on) => asked(on, await on.developer.ask('POST', `/deployments/${on.second.id}/redeploy`)),
  },
  promoteDeployment: {
    scene: staged,
    gates: {
      ...ofReleases,
      PROMOTION_RULE: (on) => close(on.org, '/promotion-rules', { ...Object(on).step, soakMinutes: 60 }),
    },
    begin: async (on) => {
      const data = { moduleInstanceId: on.moduleInstanceId }
      return asked(on, await on.developer.ask('POST', `/deployments/${Object(on).source.id}/promote`, { data }))
    },
  },
  rollbackDeployment: {
    async scene() {
      const on = await scene()
      await on.org.untilStatus((await on.org.rollback(on.second.id)).id, 'SUCCESS')
      return on
    },
    gates: {
      FREEZE: freeze('ROLLBACKS'),
      APPROVAL_RULE: approvalRule('DEPLOYMENTS'),
      POLICY: policy,
      RELEASE_ORDER: async () => ({ open: async () => {} }),
    },
    begin: async (on) => {
      const forward = await on.developer.ask('POST', `/deployments/${on.first.id}/rollback`, {
        data: { toDeploymentId: on.second.id },
      })
      const back = await on.developer.ask('POST', `/deployments/${on.second.id}/rollback`)
      return `${JSON.stringify(forward.body)} ${await asked(on, back)}`
    },
  },
  continueDeployment: {
    async scene() {
      const on = await scene(pausing(blueGreen, ['PRE_SCALE_UP']))
      const { id } = await on.org.deploy(on.moduleInstanceId, 'shop/app:4')
      await on.org.untilPaused(id)
      return { ...on, second: await on.org.get(id) }
    },
    gates: { FREEZE: freeze('CONTINUES') },
    begin: async ({ developer, second }) => {
      const { status, body } = await developer.ask('POST', `/deployments/${second.id}/continue`, { data: {} })
      return `${status === 422 ? '' : 'it began: '}${JSON.stringify(body)}`
    },
  },
  'step deploy': {
    scene,
    gates: ofReleases,
    async begin({ org, moduleInstanceId }) {
      const release = { module_instance_id: moduleInstanceId, inputs: { image_ref: 'shop/app:4' } }
      const run = await org.pipelines.run([{ id: 'deploy', type: 'deploy', with: release }])
      const step = await eventually(
        'the step to deploy',
        () => org.pipelines.step(run.id, 'deploy'),
        ({ status, statusDetail }) => status === 'ERROR' || statusDetail?.deploymentId !== undefined,
      )
      if (step.status === 'ERROR') return JSON.stringify(step)
      return outcomeOf(org, String(step.statusDetail?.deploymentId))
    },
  },
  'step deploy-swap': {
    scene: () => scene(pausing(blueGreen, ['PRE_SCALE_UP'])),
    gates: { FREEZE: freeze('CONTINUES') },
    async begin({ org, moduleInstanceId }) {
      const release = { module_instance_id: moduleInstanceId, inputs: { image_ref: 'shop/app:4' }, until: 'paused' }
      const run = await org.pipelines.run([
        { id: 'deploy', type: 'deploy', with: release },
        { id: 'swap', type: 'deploy-swap' },
      ])
      const { id } = await org.pipelines.untilStep(run.id, 'swap', 'IN_PROGRESS', 'SUCCESS')
      const isIt = eq(pipelineStepExecutions.id, id)
      const waitsFor = async () =>
        (await world.db.select().from(pipelineStepExecutions).where(isIt))[0]?.waitingFor ?? 'it began: '
      const seen = await eventually('the step to say what it waits for', waitsFor, (words) =>
        / to take over|freeze/.test(words),
      )
      await org.pipelines.cancel(run.id)
      return seen.includes('freeze') ? seen : `it began: ${seen}`
    },
  },
  'step iac:destroy': {
    async scene() {
      const org = await world.organization()
      const data = { projectId: org.pipelines.projectId, givenId: 'network', name: 'Network' }
      await org.client.done('POST', '/stacks', { data })
      return { org } as Scene
    },
    gates: { FREEZE: freeze('APPLIES'), APPROVAL_RULE: approvalRule('DESTROYS'), POLICY: policyOnPlans },
    async begin({ org }) {
      const given = { stack: 'network', source: { files: { 'main.tf': '' } } }
      const run = await org.pipelines.run([{ id: 'destroy', type: 'iac:destroy', with: given }])
      const step = await eventually(
        'the step to wait or to begin',
        () => org.pipelines.step(run.id, 'destroy'),
        ({ status, queueReason }) =>
          status !== 'QUEUED' || queueReason === 'FROZEN' || queueReason === 'RUNNER_CAPACITY',
      )
      await org.pipelines.cancel(run.id)
      const isStopped = step.status === 'PENDING_APPROVAL' || step.queueReason === 'FROZEN'
      return `${isStopped ? '' : 'it began: '}${JSON.stringify(step)}`
    },
  },
}

/** Operations with tests of their own, because they need a runner, the reconciler or a clock. */
const shownBy: Record<string, string> = {
  'A promotion rule that is automatic': 'delivery/promotions/promotion-rules.wide.test.ts',
  'Checks that let a pause continue': 'gates/freezes/freezes.wide.test.ts',
  'A pause of a function whose time is over': 'delivery/deployments/types/lambda/waits.wide.test.ts',
  'step iac:apply': 'infrastructure/iac-steps/frozen.wide.test.ts',
}

/** Gates with tests of their own, which are the same for all operations. */
const gateShownBy: Partial<Record<Gate, string>> = {
  PRODUCTION_MARK: 'infrastructure/preview-environments/previews.wide.test.ts',
  LIMIT: 'delivery/deployments/create/admit.wide.test.ts',
  PERMISSION: 'pipelines/pipeline-runs/permissions.wide.test.ts',
  STATE_LOCK: 'infrastructure/state-backend/state-backend.test.ts',
}

const begins = ['RELEASE', 'PROMOTION', 'ROLLBACK', 'CONTINUE', 'APPLY']

test('every gate of an operation is tested with it, here or in a test of its own', () => {
  const missing = Object.entries(rows)
    .filter(([name, { effect }]) => begins.includes(effect) && !(name in shownBy))
    .flatMap(([name, { effect }]) =>
      effects[effect].gates
        .filter((gate: Gate) => !(gate in gateShownBy) && !(gate in (trials[name]?.gates ?? {})))
        .map((gate) => `${name}: ${gate}`),
    )
  expect(missing, 'add a trial to this file').toEqual([])
  const here = fileURLToPath(new URL('../..', import.meta.url))
  const named = [...Object.values(shownBy), ...Object.values(gateShownBy)]
  expect(named.filter((path) => !existsSync(join(here, path)))).toEqual([])
})

test(
  'an operation is blocked by every gate that applies to it',
  { timeout: 600_000 },
  everyCase(
    Object.entries(trials),
    async (name, trial) => {
      const on = await trial.scene()
      for (const [gate, closeGate] of Object.entries(trial.gates)) {
        const closed = await closeGate(on)
        const came = await trial.begin(on)
        const say = `${name} went past ${gate}, which ${rows[name]?.from} lets it`
        expect(came.includes('it began: '), `${say}: ${came.slice(0, 300)}`).toBe(gate === 'RELEASE_ORDER')
        expect(came, say).toMatch(signs[gate as Tried])
        await closed.open()
      }
    },
    { concurrency: 4 },
  ),
)

const byPermission = Object.entries<Row>(requests).flatMap(([name, { effect }]) => (effect === 'GATE' ? [name] : []))

test(
  'a deployer cannot use any operation that opens a gate, except to lift a hold with a reason',
  everyCase(byPermission, async (name) => {
    const everything = await createOneOfEverything(world.db)
    const developer = new Client(world.url, await addMember(world.db, everything.organizationId, 'DEVELOPER'))
    const route: Route = routes[name as keyof typeof routes]
    const body = bodyFor(route, everything)
    const answer = await developer.ask(route.method, target(route, everything), route.body ? body : undefined)
    expect(answer.status, JSON.stringify(answer.body)).toBe(name === 'liftHold' ? 200 : 403)
  }),
)

test('moving a module instance bypasses neither the gates of its environment nor its own', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  const developer = await org.member('DEVELOPER')
  const path = `/module-instances/${moduleInstanceId}`
  const { projectId } = await org.client.done<{ projectId: string }>('GET', path)
  const later = { projectId, givenId: 'later', name: 'Later' }
  const { id: environmentId } = await org.client.done<{ id: string }>('POST', '/environments', { data: later })
  const on = { org, moduleInstanceId } as Scene
  const rule = await approvalRule('DEPLOYMENTS')(on)

  const move = (by: Client) => by.ask('PATCH', path, { data: { environmentId } })
  expect((await move(developer)).status, 'who deploys moved it out of what guards it').toBe(403)
  expect(await developer.ask('DELETE', path)).toMatchObject({
    status: 409,
    body: { code: 'Sluice:ModuleInstances:IN_USE', details: [{ items: [expect.stringContaining('approval rule')] }] },
  })
  expect((await move(org.client)).status).toBe(200)
  const { id } = await org.deploy(moduleInstanceId)
  expect(await outcomeOf(org, id), 'a rule on an instance is about it wherever it is').toMatch(signs.APPROVAL_RULE)
  await rule.open()
  await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS')
})
