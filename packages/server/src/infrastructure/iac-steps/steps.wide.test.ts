import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPlan } from '../../pipelines/iac-plans/sealed.ts'
import { findIacPlan } from '../../pipelines/iac-plans/store.ts'
import { eq } from '../../platform/db/drizzle.ts'
import { findLatestState } from '../../stacks/iac-states/store.ts'
import { outputsOf } from '../../stacks/stacks/outputs.ts'
import { findStack } from '../../stacks/stacks/store.ts'
import { stackWorkspaces } from '../../stacks/stacks/tables.ts'
import { eventually } from '../../testing/eventually.ts'
import { resourcesOfStep } from '../iac-resources/record.ts'
import { savePriceList } from '../price-list/store.ts'
import { type AttemptResult, type IacWorld, missingToolReason, startIacWorld } from './iac-world.fixture.ts'

const why = await missingToolReason()

const configuration = `
variable "size" { type = number }
variable "password" {
  type      = string
  sensitive = true
}
resource "terraform_data" "web" {
  count = var.size
  input = "web-\${count.index}"
}
resource "terraform_data" "secret" { input = var.password }
output "first" { value = terraform_data.web[0].output }
output "password" {
  value     = var.password
  sensitive = true
}
`
const files = (main: string) => ({ files: { 'main.tf': main } })
const outputOf = ({ outcome, log }: AttemptResult) => {
  if (outcome.status !== 'SUCCESS') throw new Error(`${JSON.stringify(outcome, null, 2)}\n${log.join('\n')}`)
  return outcome.output as Record<string, unknown> & { plan_id: string }
}

describe.skipIf(why !== undefined)(`the iac tool${why === undefined ? '' : ` [${why}]`}`, () => {
  let world: IacWorld
  beforeAll(async () => {
    world = await startIacWorld()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const workspaceOf = async (stackId: string) => {
    const [row] = await world.db.select().from(stackWorkspaces).where(eq(stackWorkspaces.stackId, stackId))
    if (!row) throw new Error('the stack has no workspace')
    return row
  }

  test('a plan is made, applied unchanged, and produces outputs, a state and resources', async () => {
    const [stackId, runId] = [await world.stack(), await world.run()]
    const given = {
      stack_id: stackId,
      source: files(configuration),
      variables: { size: 2, password: 'correct-horse', unset: null },
    }
    const planned = await world.do(runId, 'iac:plan', given)
    const { plan_id: planId, summary } = outputOf(planned)
    const changeCounts = { CREATE: 3 }
    const typeCounts = [{ resourceType: 'terraform_data', changeCounts }]
    expect(summary).toEqual({ changeCounts, driftedCount: 0, typeCounts })
    expect(planned.log.join('\n')).toContain('Plan: 3 to add')
    const rows = await resourcesOfStep(world.db, world.organizationId, planned.id)
    expect(rows).toHaveLength(3)
    expect(rows.find(({ address }) => address === 'terraform_data.web[1]')).toMatchObject({
      changeType: 'CREATE',
      runType: 'PLAN',
      indexKey: '1',
      resourceName: 'web',
      resourceType: 'terraform_data',
      isInCurrentState: false,
      driftStatus: 'UNKNOWN',
      vendorData: { before: null, after: { input: 'web-1', output: '(known after apply)' } },
    })
    expect(rows.find(({ resourceName }) => resourceName === 'secret')?.vendorData).toMatchObject({
      after: { input: '(sensitive)' },
    })

    const applied = await world.do(runId, 'iac:apply', {})
    expect(outputOf(applied)).toEqual({ plan_id: planId, outputs: { first: 'web-0' }, summary })
    const plan = await findIacPlan(world.db, world.organizationId, planId)
    expect(plan).toMatchObject({
      status: 'APPLIED',
      sealed: null,
      appliedByStepExecutionId: applied.id,
      toolVersion: expect.any(String),
    })
    const done = await resourcesOfStep(world.db, world.organizationId, applied.id)
    expect(done).toHaveLength(3)
    for (const row of done)
      expect(row).toMatchObject({ runType: 'APPLY', isInCurrentState: true, tainted: false, error: null })
    expect(done.find(({ address }) => address === 'terraform_data.web[0]')?.vendorData.after).toMatchObject({
      input: 'web-0',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(JSON.stringify([rows, done, planned.log, applied.log])).not.toContain('correct-horse')
    for (const row of await resourcesOfStep(world.db, world.organizationId, planned.id)) {
      expect(row.isInCurrentState).toBe(true)
    }

    const stack = await findStack(world.db, world.organizationId, stackId)
    if (!stack) throw new Error('no stack')
    expect(outputsOf(world.seal, stack)).toEqual({ open: { first: 'web-0' }, sensitive: { password: 'correct-horse' } })
    expect(stack.sealedOutputs).not.toContain('correct-horse')
    const workspace = await workspaceOf(stackId)
    expect(workspace).toMatchObject({ name: 'default', lock: null, latestStateSequence: 1 })
    const state = await findLatestState(world.db, world.organizationId, workspace.id)
    expect(state).toMatchObject({ serial: 1, resourceCount: 3, stepExecutionId: applied.id })
    expect(applied.progress).toMatchObject({ phase: 'apply', done: 3, total: 3, changes: { CREATE: 3 } })
  })

  test('an apply stores the final values of objects and of dynamic types, without secrets', async () => {
    const main = `
variable "password" {
  type      = string
  sensitive = true
}
resource "terraform_data" "secret" { input = var.password }
resource "terraform_data" "tags" {
  input = { of = terraform_data.secret.id, nested = { ports = [80], secret = terraform_data.secret.output } }
}
`
    const [stackId, runId] = [await world.stack(), await world.run()]
    const given = { stack_id: stackId, source: files(main), variables: { password: 'correct-horse' } }
    const planned = await world.do(runId, 'iac:plan', given)
    const rows = await resourcesOfStep(world.db, world.organizationId, planned.id)
    expect(rows.find(({ resourceName }) => resourceName === 'tags')?.vendorData.after).toMatchObject({
      output: '(known after apply)',
    })

    const applied = await world.do(runId, 'iac:apply', {})
    expect(applied.outcome.status).toBe('SUCCESS')
    const done = await resourcesOfStep(world.db, world.organizationId, applied.id)
    const tags = { of: expect.stringMatching(/^[0-9a-f-]{36}$/), nested: { ports: [80], secret: '(sensitive)' } }
    expect(
      done.find(({ resourceName }) => resourceName === 'tags')?.vendorData.after,
      'see filledIn in adapter/sensitive.ts',
    ).toMatchObject({ input: tags, output: tags })
    expect(JSON.stringify([rows, done, planned.log, applied.log])).not.toContain('correct-horse')
  })

  test('a plan contains the cost of the stack by the price list, without revealing secrets', async () => {
    const [stackId, runId] = [await world.stack(), await world.run()]
    const prices = [
      { resourceType: 'terraform_data', monthly: '1.5' },
      { resourceType: 'terraform_data', where: { input: 'web-0' }, monthly: '10' },
      { resourceType: 'terraform_data', where: { input: 'correct-horse' }, monthly: '1000' },
    ]
    await savePriceList(world.db, world.organizationId, { currency: 'EUR', prices })
    const variables = { size: 2, password: 'correct-horse' }
    const given = { stack_id: stackId, source: files(configuration), variables }
    const { plan_id: planId, summary } = outputOf(await world.do(runId, 'iac:plan', given))
    await savePriceList(world.db, world.organizationId, { currency: 'EUR', prices: [] })
    const cost = { currency: 'EUR', monthlyBefore: '0.00', monthlyAfter: '13.00', monthlyDifference: '13.00' }
    expect(summary).toMatchObject({ cost: { ...cost, unpricedCount: 0, unpriced: [] } })
    expect((await findIacPlan(world.db, world.organizationId, planId))?.summary).toMatchObject({
      cost,
    })
  })

  test('a configuration that reads terraform.workspace produces a warning and receives the name in a variable', async () => {
    const [stackId, runId] = [await world.stack(), await world.run()]
    const main = `
variable "sluice_workspace" {
  default = "unset"
}
# terraform.workspace
output "names" {
  value = "\${terraform.workspace} \${var.sluice_workspace}"
}
`
    const given = { stack_id: stackId, source: files(main), workspace: 'staging' }
    const planned = await world.do(runId, 'iac:plan', given)
    outputOf(planned)
    expect(planned.log.join('\n')).toMatch(/Warning: main\.tf line 7 uses terraform\.workspace/)
    const applied = await world.do(runId, 'iac:apply', {})
    expect(outputOf(applied)).toMatchObject({ outputs: { names: 'default staging' } })
    const unwarned = await world.do(await world.run(), 'iac:plan', { ...given, workspace: 'default' })
    expect(unwarned.log.join('\n')).not.toContain('terraform.workspace')
  })

  test('no stored part of a plan contains the value of an ephemeral variable', async () => {
    const [stackId, runId] = [await world.stack(), await world.run()]
    const main = `
variable "by_value" { ephemeral = true }
variable "by_environment" { ephemeral = true }
variable "with_default" {
  ephemeral = true
  default   = "none"
}
resource "terraform_data" "web" {}`
    const planned = await world.do(runId, 'iac:plan', {
      stack_id: stackId,
      source: files(main),
      variables: { by_value: 'ephemeral-value', with_default: 'ephemeral-value' },
      environment_variables: { TF_VAR_by_environment: 'ephemeral-value', OTHER: 'other-value' },
    })
    const plan = await findIacPlan(world.db, world.organizationId, outputOf(planned).plan_id)
    if (!plan?.sealed) throw new Error('the plan is not sealed')
    const { file, ...opened } = await openPlan(world.seal, plan, plan.sealed)
    expect(JSON.stringify(opened), 'planInputsOf takes other inputs for fixed ones than these').toContain('other-value')
    expect(JSON.stringify([plan, opened]), 'planInputsOf stores a value that the plan does not').not.toContain(
      'ephemeral-value',
    )
    outputOf(await world.do(runId, 'iac:apply', {}))
  })

  test('a plan is applied at most once', async () => {
    const [stackId, runId] = [await world.stack(), await world.run()]
    const given = { stack_id: stackId, source: files('resource "terraform_data" "a" {}') }
    await world.do(runId, 'iac:plan', given)
    outputOf(await world.do(runId, 'iac:apply', {}))
    expect((await world.do(runId, 'iac:apply', {})).outcome).toMatchObject({
      status: 'ERROR',
      error: { code: 'Sluice:Iac:PLAN_USED' },
    })
  })

  test('a plan of an outdated state is rejected with the reason', async () => {
    const [stackId, first, second] = [await world.stack(), await world.run(), await world.run()]
    const given = (name: string) => ({ stack_id: stackId, source: files(`resource "terraform_data" "${name}" {}`) })
    const { plan_id: planId } = outputOf(await world.do(first, 'iac:plan', given('a')))
    await world.do(second, 'iac:plan', given('b'))
    outputOf(await world.do(second, 'iac:apply', {}))
    const { outcome } = await world.do(first, 'iac:apply', {})
    expect(outcome).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Iac:PLAN_STALE' } })
    expect(JSON.stringify(outcome)).toContain(`of run ${second}`)
    expect(await findIacPlan(world.db, world.organizationId, planId)).toMatchObject({ status: 'STALE' })
    expect((await workspaceOf(stackId)).latestStateSequence).toBe(1)
  })

  test('a failed apply names the resource and stores what was created', async () => {
    const [stackId, runId] = [await world.stack(), await world.run()]
    const main = `
resource "terraform_data" "good" {}
resource "terraform_data" "bad" {
  depends_on = [terraform_data.good]
  provisioner "local-exec" { command = "echo broken >&2; exit 3" }
}
resource "terraform_data" "never" { depends_on = [terraform_data.bad] }`
    outputOf(await world.do(runId, 'iac:plan', { stack_id: stackId, source: files(main) }))
    const applied = await world.do(runId, 'iac:apply', {})
    expect(applied.outcome).toMatchObject({ status: 'ERROR', error: { code: 'Sluice:Iac:APPLY_FAILED' } })
    const rows = await resourcesOfStep(world.db, world.organizationId, applied.id)
    expect(
      rows.map(({ address, error, isInCurrentState, tainted }) => [address, error?.code, isInCurrentState, tainted]),
    ).toEqual([
      ['terraform_data.bad', 'Sluice:Iac:RESOURCE_FAILED', true, true],
      ['terraform_data.good', undefined, true, false],
    ])
    expect((await workspaceOf(stackId)).lock).toBeNull()
  })

  test('destroy removes everything, and no resources remain', async () => {
    const [stackId, runId] = [await world.stack(), await world.run()]
    const given = { stack_id: stackId, source: files('resource "terraform_data" "a" { count = 2 }') }
    const planned = await world.do(runId, 'iac:plan', given)
    outputOf(await world.do(runId, 'iac:apply', {}))
    const destroyed = await world.do(runId, 'iac:destroy', given)
    expect(outputOf(destroyed)).toMatchObject({ summary: { changeCounts: { DELETE: 2 } }, outputs: {} })
    for (const id of [planned.id, destroyed.id]) {
      for (const row of await resourcesOfStep(world.db, world.organizationId, id))
        expect(row.isInCurrentState).toBe(false)
    }
    const state = await findLatestState(world.db, world.organizationId, (await workspaceOf(stackId)).id)
    expect(state?.resourceCount).toBe(0)
  })

  test('errors of a configuration are reported', async () => {
    const [stackId, runId] = [await world.stack(), await world.run()]
    const ask = async (source: object, more: object = {}) =>
      (await world.do(runId, 'iac:plan', { stack_id: stackId, source, ...more })).outcome
    expect(await ask(files('resource "terraform_data" "a" { input = nothing.at.all }'))).toMatchObject({
      error: { code: 'Sluice:Iac:PLAN_FAILED', message: expect.stringContaining('Reference to undeclared resource') },
    })
    expect(await ask(files('module "a" { source = "./gone" }'))).toMatchObject({
      error: { code: 'Sluice:Iac:INIT_FAILED' },
    })
    expect(await ask(files(''), { tool_version: '99' })).toMatchObject({
      error: { code: 'Sluice:Iac:TOOL_MISSING', action: { url: expect.stringMatching(/^https:/) } },
    })
    expect(await ask({ files: { '../a.tf': '' } })).toMatchObject({ error: { code: 'Sluice:Iac:SOURCE_UNAVAILABLE' } })
    expect(await ask({ files: { 'a.tf': '' }, base_path: '..' })).toMatchObject({
      error: { code: 'Sluice:Iac:SOURCE_UNAVAILABLE' },
    })
    expect((await world.do(await world.run(), 'iac:apply', {})).outcome).toMatchObject({
      error: { code: 'Sluice:Iac:PLAN_NOT_FOUND' },
    })
  })

  test('each error of a configuration is reported once, with its file, line, resource and snippet', async () => {
    const [stackId, runId] = [await world.stack(), await world.run()]
    const main = `resource "terraform_data" "many" {
  count = 2
  lifecycle {
    precondition {
      condition     = count.index > 5
      error_message = "the index is too small"
    }
  }
}
data "terraform_remote_state" "other" {
  backend = "local"
  config  = { path = "gone.tfstate" }
}`
    const { outcome } = await world.do(runId, 'iac:plan', { stack_id: stackId, source: files(main) })
    if (outcome.status !== 'ERROR') throw new Error('the plan was made')
    expect(outcome.error.message).toMatch(/^The changes could not be planned\. /)
    const found = new Map(outcome.error.details?.map(({ title, object }) => [title, object]))
    expect(found.size).toBe(2)
    expect(found.get('Resource precondition failed')).toEqual({
      message: 'the index is too small',
      file: 'main.tf',
      line: 5,
      resource: 'terraform_data.many',
      snippet: '      condition     = count.index > 5',
      values: [expect.stringMatching(/^count\.index is [01]$/)],
    })
    expect(found.get('Unable to find remote state')).toMatchObject({
      file: 'main.tf',
      line: 10,
      resource: 'data.terraform_remote_state.other',
      snippet: expect.stringContaining('data "terraform_remote_state" "other"'),
    })
  })

  test('an apply whose runner was lost is never repeated and leaves no lock', async () => {
    const [stackId, runId] = [await world.stack(), await world.run()]
    const main = `
resource "terraform_data" "slow" {
  provisioner "local-exec" { command = "sleep 60" }
}`
    outputOf(await world.do(runId, 'iac:plan', { stack_id: stackId, source: files(main) }))
    const going = await world.begin(runId, 'iac:apply', {})
    await eventually(
      'the apply to be under way',
      async () => ({ lock: (await workspaceOf(stackId)).lock, log: (await going.log()).join('\n') }),
      ({ lock, log }) => lock !== null && log.includes('terraform_data.slow: Creating'),
    )
    // The runner crashes and loses its disk; another one picks up the step.
    await going.kill()
    const again = await world.begin(runId, 'iac:apply', {}, going.id)
    expect((await again.ended).outcome).toMatchObject({
      status: 'ERROR',
      error: { code: 'Sluice:Iac:APPLY_INTERRUPTED' },
    })
    expect((await again.log()).join('\n')).not.toContain('Creating')
    expect((await workspaceOf(stackId)).lock).toBeNull()
    // A new plan contains the remaining changes and can be applied.
    const next = await world.run()
    const given = { stack_id: stackId, source: files('resource "terraform_data" "slow" {}') }
    outputOf(await world.do(next, 'iac:plan', given))
    outputOf(await world.do(next, 'iac:apply', {}))
  })
})
