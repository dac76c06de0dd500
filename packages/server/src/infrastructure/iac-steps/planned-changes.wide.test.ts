import { failures, type IacChangeReasons, type IacPlan, type IacResource, type Policy } from '@sluice/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pipelines } from '../../testing/pipelines.ts'
import { startWorld, type TestOrganization, type World } from '../../testing/world.ts'
import { missingToolReason } from './iac-world.fixture.ts'

const why = await missingToolReason()

describe.skipIf(why !== undefined)(`what people see of a plan${why === undefined ? '' : ` [${why}]`}`, () => {
  let world: World
  let organization: TestOrganization
  let pipelines: Pipelines
  beforeAll(async () => {
    world = await startWorld()
    organization = await world.organization()
    pipelines = organization.pipelines
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  let stacks = 0
  async function stack(): Promise<string> {
    stacks += 1
    const data = { projectId: pipelines.projectId, givenId: `planned-${stacks}`, name: 'Planned' }
    await organization.client.done('POST', '/stacks', { data })
    return data.givenId
  }
  const get = <T>(path: string) => organization.client.done<T>('GET', path)
  const planned = (given: object) => ({ id: 'plan', type: 'iac:plan', with: given })
  const files = (main: string) => ({ source: { files: { 'main.tf': main } } })
  const apply = (more: object = {}) => ({ id: 'apply', type: 'iac:apply', ...more })
  const planOf = async (runId: string): Promise<IacPlan> => {
    const [plan] = await get<IacPlan[]>(`/iac-plans?pipelineRunId=${runId}`)
    if (!plan) throw new Error('the run has made no plan')
    return plan
  }
  async function runToEnd(steps: object[]) {
    const run = await pipelines.run(steps)
    return pipelines.untilOver(run.id)
  }
  async function applied(givenId: string, main: string): Promise<void> {
    const over = await runToEnd([planned({ stack: givenId, ...files(main) }), apply()])
    expect(over, JSON.stringify(over.error)).toMatchObject({ status: 'SUCCESS' })
  }
  const reasonsIn = async (query: string) => {
    const { body } = await organization.client.ask('GET', `/iac-resources?${query}&include=change-reasons`)
    const { data, included } = body as {
      data: IacResource[]
      included: { 'change-reasons': Record<string, IacChangeReasons> }
    }
    return data.map((resource) => ({ resource, why: included['change-reasons'][resource.id] }))
  }

  test('an import that must be replaced is listed, counted and denied as a replacement', async () => {
    const policy = await organization.client.done<Policy>('POST', '/policies', {
      data: {
        name: 'Nothing is lost',
        guards: 'PLANS',
        message: 'Nothing may be deleted or replaced.',
        expression: "plan.counts.replace == 0 && plan.changes.all(c, !(c.action in ['DELETE', 'REPLACE']))",
      },
    })
    const main = `
      import {
        to = terraform_data.orders
        id = "orders-production"
      }
      resource "terraform_data" "orders" { triggers_replace = ["x"] }`
    const run = await runToEnd([planned({ stack: await stack(), ...files(main) }), apply()])
    await organization.client.done('PATCH', `/policies/${policy.id}`, { data: { isEnabled: false } })
    const plan = await planOf(run.id)
    expect(plan).toMatchObject({
      changeCounts: { REPLACE: 1, IMPORT: 0 },
      review: { reasonCounts: { IMPORT: 1, REPLACE_BECAUSE_CANNOT_UPDATE: 1 } },
      policies: [{ policyId: policy.id, verdict: 'VIOLATED' }],
    })
    expect(await reasonsIn(`pipelineRunId=${run.id}`)).toMatchObject([
      {
        resource: { address: 'terraform_data.orders', changeType: 'REPLACE' },
        why: {
          reasons: ['IMPORT', 'REPLACE_BECAUSE_CANNOT_UPDATE'],
          importId: 'orders-production',
          replacePaths: ['triggers_replace'],
        },
      },
    ])
    expect((await pipelines.step(run.id, 'apply')).error).toMatchObject({
      code: failures.applyStoppedByPolicy.code,
      metadata: { policyId: policy.id },
    })
  })

  test('moves and outputs are listed with both addresses and values, even if no resource changes', async () => {
    const givenId = await stack()
    await applied(givenId, 'resource "terraform_data" "old" { input = 1 }\noutput "size" { value = 1 }')
    const main = `
      moved {
        from = terraform_data.old
        to   = terraform_data.new
      }
      resource "terraform_data" "new" { input = 1 }
      output "size" { value = 2 }
      output "deploy_token" { value = "correct-horse" }`
    const run = await pipelines.run([planned({ stack: givenId, ...files(main) }), apply({ approval: {} })])
    const { id } = await pipelines.untilStep(run.id, 'apply', 'PENDING_APPROVAL')
    const move = { address: 'terraform_data.new', previousAddress: 'terraform_data.old', changeType: 'NO_OP' }
    const review = {
      reasonCounts: { MOVE: 1 },
      moves: [move],
      outputChanges: [
        { name: 'deploy_token', changeType: 'CREATE', after: '(sensitive)' },
        { name: 'size', changeType: 'UPDATE', before: 1, after: 2 },
      ],
      outputChangeCount: 2,
    }
    expect(await planOf(run.id)).toMatchObject({ hasChanges: true, changeCounts: { NO_OP: 1 }, review })
    const { body } = await organization.client.ask('GET', `/pipeline-step-executions/${id}?include=subject`)
    expect(body).toMatchObject({ included: { subject: { plans: [{ review }] } } })
    await pipelines.approve(run.id, 'apply')
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'SUCCESS' })
    const rows = await reasonsIn(`pipelineRunId=${run.id}&address=terraform_data.new`)
    expect(rows.find(({ resource }) => resource.runType === 'APPLY')).toMatchObject({
      resource: { changeType: 'NO_OP', isInCurrentState: true },
      why: { reasons: ['MOVE'], previousAddress: 'terraform_data.old' },
    })
  })

  test('warnings cover failed checks, undeclared variables and targets', async () => {
    const main = `
      variable "size" { default = 1 }
      resource "terraform_data" "a" { input = var.size }
      check "size" {
        assert {
          condition     = var.size > 1
          error_message = "The size must be more than 1."
        }
      }`
    const warned = async (more: object): Promise<string> => {
      const run = await runToEnd([planned({ stack: await stack(), ...files(main), ...more })])
      const { warnings = [], warningCount } = (await planOf(run.id)).review ?? {}
      expect(warningCount).toBe(warnings.length)
      return warnings.map(({ summary, detail }) => `${summary}: ${detail}`).join('\n')
    }
    const misspelled = await warned({ variables: { sise: 2 }, environment_variables: { TF_VAR_zise: '2' } })
    expect(misspelled).toContain('Check block assertion failed: The size must be more than 1.')
    expect(misspelled).toMatch(/undeclared variable.*"sise".*in file "variables\.tfvars\.json"/)
    expect(misspelled).toContain('TF_VAR_zise has no effect')
    const targeted = await warned({ targets: ['terraform_data.a'] })
    expect(targeted).toContain('Resource targeting is in effect')
  })

  test('the values of sensitive variables are masked in the input of a step after it is planned', async () => {
    const main = `
      variable "key" {
        type      = string
        sensitive = true
      }
      variable "size" { type = number }
      variable "api_token" { type = string }
      resource "terraform_data" "a" { input = "\${var.size} \${var.api_token}" }`
    const variables = { key: 'correct-horse', size: 3, api_token: 'battery-staple' }
    const run = await runToEnd([planned({ stack: await stack(), ...files(main), variables })])
    expect((await pipelines.step(run.id, 'plan')).inputData).toMatchObject({
      variables: { key: '***', size: 3, api_token: '***' },
    })
    const resources = await get<IacResource[]>(`/iac-resources?pipelineRunId=${run.id}`)
    expect(JSON.stringify(resources)).not.toMatch(/correct-horse|battery-staple/)
  })

  test('a step whose plan fails hides the values of sensitive variables, too', async () => {
    const main = `
      variable "key" {
        sensitive = true
      }
      variable "size" { type = number }
      resource "terraform_data" "a" { input = var.missing }`
    const variables = { key: 'correct-horse', size: 3 }
    const run = await runToEnd([planned({ stack: await stack(), ...files(main), variables })])
    expect(await pipelines.step(run.id, 'plan')).toMatchObject({
      status: 'ERROR',
      inputData: { variables: { key: '***', size: 3 } },
    })
  })

  test('values of sensitive variables are masked in the files of the source', async () => {
    const key = 'correct-horse-battery'
    const main = 'variable "key" {\n  sensitive = true\n}\nresource "terraform_data" "a" { input = var.key }'
    const source = { files: { 'main.tf': main, 'terraform.tfvars': `key = "${key}"` } }
    const run = await runToEnd([planned({ stack: await stack(), source })])
    const { status, inputData } = await pipelines.step(run.id, 'plan')
    expect({ status, inputData }).toMatchObject({ status: 'SUCCESS' })
    expect(JSON.stringify(inputData)).not.toContain(key)
  })

  test('a plan without changes requires no approval, unless the pipeline says so or other steps wait for it', async () => {
    const givenId = await stack()
    const main = 'resource "terraform_data" "a" {}'
    await applied(givenId, main)
    const plan = planned({ stack: givenId, ...files(main) })
    expect(await runToEnd([plan, apply({ approval: {} })])).toMatchObject({ status: 'SUCCESS' })
    const gate = { id: 'gate', type: 'approval' }
    expect(await runToEnd([plan, gate, apply()])).toMatchObject({ status: 'SUCCESS' })
    const say = { id: 'say', type: 'command', with: { argv: ['true'] } }
    const unasked = apply({ approval: { on_no_changes: 'approve' } })
    expect(await runToEnd([plan, unasked, say])).toMatchObject({ status: 'SUCCESS' })
    for (const steps of [
      [plan, apply({ approval: { on_no_changes: 'ask' } })],
      [plan, apply({ approval: {} }), say],
    ]) {
      const run = await pipelines.run(steps)
      await pipelines.untilStep(run.id, 'apply', 'PENDING_APPROVAL')
      await pipelines.cancel(run.id)
    }
  })
})
