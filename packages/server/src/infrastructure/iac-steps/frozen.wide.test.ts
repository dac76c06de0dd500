import type { Freeze, IacPlan, PipelineStepExecution, Policy } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { moduleInstances } from '../../modules/module-instances/tables.ts'
import { pipelineRuns } from '../../pipelines/pipelines/tables.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { eventually } from '../../testing/eventually.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { missingToolReason } from './iac-world.fixture.ts'

const why = await missingToolReason()
const hourMs = 3_600_000
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const main = { source: { files: { 'main.tf': 'resource "terraform_data" "web" {}' } } }

describe.skipIf(why !== undefined)(
  `a freeze or a policy that stops applies${why === undefined ? '' : ` [${why}]`}`,
  () => {
    let world: World
    let org: TestOrganization
    beforeAll(async () => {
      world = await sharedWorld()
    })

    /** Creates an active freeze of infrastructure changes. */
    const freeze = (more: object = {}) =>
      org.client.done<Freeze>('POST', '/freezes', {
        data: {
          name: 'Quiet weeks',
          reason: 'Nobody is there.',
          window: { from: inMs(-hourMs), until: inMs(hourMs) },
          stops: ['APPLIES'],
          ...more,
        },
      })
    const lift = ({ id }: Freeze) => org.client.ask('DELETE', `/freezes/${id}`)
    const override = ({ id }: Freeze, data: object) => org.client.done('POST', `/freezes/${id}/overrides`, { data })

    let stacks = 0
    async function stack(): Promise<{ id: string; givenId: string }> {
      stacks += 1
      const data = { projectId: org.pipelines.projectId, givenId: `network-${stacks}`, name: 'Network' }
      return org.client.done('POST', '/stacks', { data })
    }
    const steps = (given: object, apply: object = {}) => [
      { id: 'plan', type: 'iac:plan', with: { ...given, ...main } },
      { id: 'apply', type: 'iac:apply', ...apply },
    ]
    const untilFrozen = (runId: string, stepId = 'apply') =>
      eventually(
        `${stepId} to be frozen`,
        () => org.pipelines.step(runId, stepId),
        ({ queueReason }: PipelineStepExecution) => queueReason === 'FROZEN',
      )
    const untilDone = async (runId: string) =>
      expect(await org.pipelines.untilOver(runId, 60_000)).toMatchObject({ status: 'SUCCESS' })
    const audited = async (resourceId: string, action: string) =>
      (
        await org.client.done<{ action: string; details?: object }[]>('GET', `/audit-events?resourceId=${resourceId}`)
      ).filter((event) => event.action === action)

    test('blocks an apply after its plan and approval, and resumes it when lifted', async () => {
      org = await world.organization()
      const frozen = await freeze()
      const run = await org.pipelines.run(steps({ stack: (await stack()).givenId }, { approval: {} }))
      await org.pipelines.approve(run.id, 'apply')
      const step = await untilFrozen(run.id)
      const until = frozen.period?.until
      expect(step).toMatchObject({
        status: 'QUEUED',
        attemptEpoch: 0,
        queueMetadata: { freezeId: frozen.id, name: 'Quiet weeks', until },
        statusDetail: {
          decision: { approved: true },
          freeze: {
            reason: 'Nobody is there.',
            until,
            message: expect.stringContaining('“Quiet weeks”'),
            description: expect.stringContaining(`/freezes/${frozen.id}/overrides`),
          },
        },
      })
      expect((await lift(frozen)).status).toBe(204)
      await untilDone(run.id)
      const [plan] = await org.client.done<IacPlan[]>('GET', `/iac-plans?pipelineRunId=${run.id}`)
      expect(plan).toMatchObject({ status: 'APPLIED' })
      const { statusDetail, attemptEpoch } = await org.pipelines.step(run.id, 'apply')
      expect(attemptEpoch).toBe(1)
      expect(statusDetail?.freeze).toBeUndefined()
    })

    test('resumes the apply when its window ends', async () => {
      org = await world.organization()
      const window = { from: inMs(-hourMs), until: inMs(12_000) }
      await freeze({ window })
      const run = await org.pipelines.run(steps({ stack: (await stack()).givenId }))
      await untilFrozen(run.id)
      await untilDone(run.id)
      const { startedAt = '' } = await org.pipelines.step(run.id, 'apply')
      expect(startedAt >= window.until).toBe(true)
    })

    test('of an environment blocks everything in it, until a user exempts the instance', async () => {
      org = await world.organization()
      const { moduleInstanceId } = await org.service()
      const [own, nobodys] = [await stack(), await stack()]
      const isIt = eq(moduleInstances.id, moduleInstanceId)
      const [instance] = await world.db.update(moduleInstances).set({ stackId: own.id }).where(isIt).returning()
      const frozen = await freeze({ environmentId: instance?.environmentId })
      const run = await org.pipelines.run(steps({ stack: own.givenId }))
      const free = await org.pipelines.run(steps({ stack: nobodys.givenId }))
      await untilFrozen(run.id)
      await untilDone(free.id)
      expect(await org.pipelines.step(run.id, 'apply')).toMatchObject({ queueReason: 'FROZEN' })
      await override(frozen, { moduleInstanceId, reason: 'The shop is down.' })
      await untilDone(run.id)
    })

    test('of an instance blocks its runs on any stack', async () => {
      org = await world.organization()
      const { moduleInstanceId } = await org.service()
      const frozen = await freeze({ moduleInstanceId })
      const run = await org.pipelines.run(steps({ stack: (await stack()).givenId }, { approval: {} }))
      await org.pipelines.untilStep(run.id, 'apply', 'PENDING_APPROVAL')
      await world.db.update(pipelineRuns).set({ moduleInstanceId }).where(eq(pipelineRuns.id, run.id))
      await org.pipelines.approve(run.id, 'apply')
      await untilFrozen(run.id)
      await org.client.done('PATCH', `/freezes/${frozen.id}`, { data: { stops: ['RELEASES'] } })
      await untilDone(run.id)
    })

    test('that only warns blocks nothing and records each attempt once', async () => {
      org = await world.organization()
      const frozen = await freeze({ mode: 'WARN' })
      const run = await org.pipelines.run(steps({ stack: (await stack()).givenId }))
      await untilDone(run.id)
      const { id } = await org.pipelines.step(run.id, 'apply')
      expect(await audited(frozen.id, 'freezes.warn')).toMatchObject([
        { details: { act: 'APPLIES', pipelineRunId: run.id, stepExecutionId: id } },
      ])
    })

    test('does not prevent cancellation of a run', async () => {
      org = await world.organization()
      await freeze()
      const destroy = { id: 'destroy', type: 'iac:destroy', with: { stack: (await stack()).givenId, ...main } }
      const run = await org.pipelines.run([destroy])
      await untilFrozen(run.id, 'destroy')
      expect(await org.pipelines.cancel(run.id)).toMatchObject({ status: 'CANCELLED' })
      expect(await org.pipelines.step(run.id, 'destroy')).toMatchObject({ status: 'CANCELLED', attemptEpoch: 0 })
    })

    test('evaluates policies on the plan: the step fails, and nothing is applied', async () => {
      org = await world.organization()
      const { givenId } = await stack()
      const policy = await org.client.done<Policy>('POST', '/policies', {
        data: {
          name: 'Small steps',
          guards: 'PLANS',
          message: 'Ask the platform team.',
          expression: "plan.kind == 'PLAN' && plan.changes.all(c, c.type != 'terraform_data' || !has(c.after))",
        },
      })
      const plansOf = (runId: string) => org.client.done<IacPlan[]>('GET', `/iac-plans?pipelineRunId=${runId}`)
      const stopped = await org.pipelines.run(steps({ stack: givenId }))
      await org.pipelines.untilOver(stopped.id, 60_000)
      expect(await org.pipelines.step(stopped.id, 'apply')).toMatchObject({
        status: 'ERROR',
        error: {
          code: 'Sluice:Policies:APPLY_STOPPED',
          message: expect.stringContaining('“Small steps” (version 1): Ask the platform team.'),
          metadata: { policyId: policy.id, verdict: 'VIOLATED' },
        },
      })
      const [plan] = await plansOf(stopped.id)
      expect(plan).not.toHaveProperty('appliedByStepExecutionId')
      const [denial] = await org.client.done<object[]>('GET', `/audit-events?resourceId=${policy.id}`)
      expect(denial).toMatchObject({
        action: 'policies.deny',
        actorType: 'PIPELINE_RUN',
        actorId: stopped.id,
        details: { version: 1, verdict: 'VIOLATED', iacPlanId: plan?.id },
      })
      await org.client.done('POST', `/policies/${policy.id}/overrides`, { data: { reason: 'The shop is down.' } })
      const run = await org.pipelines.run(steps({ stack: givenId }))
      await untilDone(run.id)
      expect((await plansOf(run.id))[0]).toMatchObject({
        status: 'APPLIED',
        policies: [{ policyId: policy.id, verdict: 'VIOLATED', override: { reason: 'The shop is down.' } }],
      })
      await org.client.done('PATCH', `/policies/${policy.id}`, { data: { effect: 'WARN' } })
      const noEnd = { expression: "plan.kind != 'DESTROY'", message: 'Nothing is destroyed.' }
      const { id } = await org.client.done<Policy>('POST', '/policies', {
        data: { name: 'No end', guards: 'PLANS', ...noEnd },
      })
      const destroy = { id: 'destroy', type: 'iac:destroy', with: { stack: givenId, ...main } }
      const end = await org.pipelines.run([destroy])
      await org.pipelines.untilOver(end.id, 60_000)
      expect(await org.pipelines.step(end.id, 'destroy')).toMatchObject({
        status: 'ERROR',
        error: { code: 'Sluice:Policies:APPLY_STOPPED', metadata: { policyId: id } },
      })
    })

    test('lets a policy require approval of a particular plan, even if the pipeline does not', async () => {
      org = await world.organization()
      const ann = await org.member('DEVELOPER')
      const { givenId } = await stack()
      const ask = { name: 'Ask first', guards: 'PLANS', message: 'Ask.', expression: 'plan.counts.create == 0' }
      const asks = { effect: 'REQUIRE_APPROVAL', approval: { requiredApprovals: 1, teamIds: [], excludeStarter: true } }
      const create = (more: object) => org.client.done<Policy>('POST', '/policies', { data: { ...ask, ...more } })
      const approve = (client: typeof ann, id: string) => client.ask('POST', `/pipeline-step-executions/${id}/approve`)
      const plansOf = (runId: string) => org.client.done<IacPlan[]>('GET', `/iac-plans?pipelineRunId=${runId}`)

      // A policy created after the plan was approved required no approval of it.
      const early = await org.pipelines.run(steps({ stack: givenId }, { approval: {} }))
      const earlyStep = await org.pipelines.untilStep(early.id, 'apply', 'PENDING_APPROVAL')
      const policy = await create(asks)
      expect((await approve(org.client, earlyStep.id)).status).toBe(200)
      await org.pipelines.untilOver(early.id, 60_000)
      expect((await org.pipelines.step(early.id, 'apply')).error).toMatchObject({
        code: 'Sluice:Policies:APPLY_STOPPED',
        message: expect.stringContaining('Approvals are missing that are required by the policy “Ask first”'),
        metadata: { policyId: policy.id },
      })

      const run = await org.pipelines.run(steps({ stack: givenId }))
      const { id } = await org.pipelines.untilStep(run.id, 'apply', 'PENDING_APPROVAL')
      expect((await plansOf(run.id))[0]).toMatchObject({
        status: 'PLANNED',
        policies: [{ policyId: policy.id, effect: 'REQUIRE_APPROVAL', verdict: 'VIOLATED' }],
      })
      // The approval remains required, even if the policy is disabled.
      await org.client.done('PATCH', `/policies/${policy.id}`, { data: { isEnabled: false } })
      expect(await approve(org.client, id)).toMatchObject({
        status: 403,
        body: { code: 'Sluice:ApprovalRules:NOT_COUNTED' },
      })
      await org.client.done('PATCH', `/policies/${policy.id}`, { data: { isEnabled: true } })
      expect(await ann.ask('GET', `/pipeline-step-executions/${id}?include=approval`)).toMatchObject({
        body: {
          included: { approval: { isPending: true, requirements: [{ ruleId: policy.id, excludeStarter: true }] } },
        },
      })
      expect((await approve(ann, id)).status).toBe(200)
      await untilDone(run.id)

      const tried = { guards: 'PLANS', expression: ask.expression, projectId: org.pipelines.projectId }
      const [plan] = await plansOf(run.id)
      expect(await org.client.ask('POST', '/policies/dry-run', { data: tried })).toMatchObject({
        body: {
          data: {
            evaluatedCount: 2,
            blocked: [{ iacPlanId: plan?.id, pipelineRunId: run.id }, { pipelineRunId: early.id }],
          },
        },
      })

      // A step that plans and applies is evaluated in advance; an exemption resumes it.
      const destroy = { id: 'destroy', type: 'iac:destroy', with: { stack: givenId, ...main } }
      const end = await org.pipelines.run([destroy])
      const before = await org.pipelines.untilStep(end.id, 'destroy', 'PENDING_APPROVAL')
      expect(before).toMatchObject({ attemptEpoch: 0 })
      await org.client.done('POST', `/policies/${policy.id}/overrides`, { data: { reason: 'The shop is down.' } })
      await untilDone(end.id)
    })
  },
)
