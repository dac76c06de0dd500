import { hash } from 'node:crypto'
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager'
import { PutParameterCommand } from '@aws-sdk/client-ssm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { iacPlans } from '../../pipelines/iac-plans/tables.ts'
import { type OrganizationWithTasks, organizationWithTasks } from '../../pipelines/runner-tasks/tasks.fixture.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { missingToolReason } from './iac-world.fixture.ts'

const why = await missingToolReason()
const region = 'eu-west-1'
const password = 'correct-horse-battery'
const main = `
variable "password" { type = string }
variable "token" { type = string }
resource "terraform_data" "one" {
  input = sha256("\${var.password} \${var.token}")
  lifecycle {
    precondition {
      condition     = var.token != "wrong-token"
      error_message = "the token must not be \${var.token}"
    }
  }
}`

let world: World
let organization: OrganizationWithTasks

beforeAll(async () => {
  if (why) return
  world = await startWorld({ hasTasks: true })
  organization = await organizationWithTasks(world)
  const { clients } = organization
  await clients.ssm.send(new PutParameterCommand({ Name: '/shop/password', Value: password, Type: 'SecureString' }))
  await clients.secrets.send(new CreateSecretCommand({ Name: 'shop/token', SecretString: 'wrong-token' }))
})
afterAll(() => world?.[Symbol.asyncDispose]())

let stacks = 0

/** Plans and applies with these environment variables. Returns the finished run and its steps. */
async function run(environment_variables: object) {
  const { client, pipelines, cloudAccountId, environment } = organization
  stacks += 1
  const stack = `kept-${stacks}`
  await client.done('POST', '/stacks', { data: { projectId: pipelines.projectId, givenId: stack, name: 'Kept' } })
  const there = { execution_environment_id: environment.id }
  const work = {
    stack,
    source: { files: { 'main.tf': main } },
    cloud_account_id: cloudAccountId,
    cloud_region: region,
    environment_variables,
  }
  const { id } = await pipelines.run([
    { id: 'plan', type: 'iac:plan', ...there, with: work },
    { id: 'apply', type: 'iac:apply', ...there },
  ])
  const over = await pipelines.untilOver(id, 120_000)
  return { over, steps: await pipelines.steps(id) }
}

test.skipIf(why)(
  'variables are read from the account for plan and apply, also when it throttles, and are stored nowhere',
  async () => {
    const kept = { TF_VAR_password: { from_parameter_store: '/shop/password' }, TF_VAR_token: 'right' }
    await world.cloud.addFault({ kind: 'throttle', operation: 'GetParameters', times: 2 })
    const { over, steps } = await run(kept)
    expect(over, JSON.stringify(over.error)).toMatchObject({ status: 'SUCCESS' })
    expect(steps[0]?.inputData).toMatchObject({ environment_variables: { ...kept, TF_VAR_token: '***' } })
    const stored = JSON.stringify([over, steps, await world.db.select().from(iacPlans)])
    expect(stored).not.toContain(password)
  },
)

test.skipIf(why)('an ephemeral variable has the value that the account has at the time of the apply', async () => {
  const { client, clients, pipelines, cloudAccountId, environment } = organization
  const parameter = { Name: '/shop/rotated', Type: 'SecureString' } as const
  await clients.ssm.send(new PutParameterCommand({ ...parameter, Value: 'before' }))
  await client.done('POST', '/stacks', {
    data: { projectId: pipelines.projectId, givenId: 'rotated', name: 'Rotated' },
  })
  const expected = hash('sha256', 'after', 'hex')
  const configuration = `
variable "token" { ephemeral = true }
resource "terraform_data" "one" {
  provisioner "local-exec" {
    command     = "test \\"$(printf %s \\"$TOKEN\\" | sha256sum | cut -c1-64)\\" = ${expected}"
    environment = { TOKEN = var.token }
  }
}`
  const there = { execution_environment_id: environment.id }
  const { id } = await pipelines.run([
    {
      id: 'plan',
      type: 'iac:plan',
      ...there,
      with: {
        stack: 'rotated',
        source: { files: { 'main.tf': configuration } },
        cloud_account_id: cloudAccountId,
        cloud_region: region,
        environment_variables: { TF_VAR_token: { from_parameter_store: parameter.Name } },
      },
    },
    { id: 'apply', type: 'iac:apply', ...there, approval: {} },
  ])
  await pipelines.untilStep(id, 'apply', 'PENDING_APPROVAL')
  await clients.ssm.send(new PutParameterCommand({ ...parameter, Value: 'after', Overwrite: true }))
  await pipelines.approve(id, 'apply')
  const over = await pipelines.untilOver(id, 120_000)
  expect(over, 'record-plan.ts must store where the account has it, and no value').toMatchObject({ status: 'SUCCESS' })
})

test.skipIf(why)('a secret in an error is masked in its details', async () => {
  const { steps } = await run({
    TF_VAR_password: { from_parameter_store: '/shop/password' },
    TF_VAR_token: { from_secrets_manager: 'shop/token' },
  })
  const [section] = steps[0]?.error?.details ?? []
  expect(section).toMatchObject({ object: { message: 'the token must not be ***', file: 'main.tf' } })
  expect(JSON.stringify(steps)).not.toMatch('must not be wrong-token')
})

test.skipIf(why).each([
  ['from_parameter_store', '/shop/gone', 'there is no parameter /shop/gone in eu-west-1'],
  ['from_secrets_manager', 'shop/gone', 'there is no secret shop/gone in eu-west-1'],
])('a parameter missing by %s fails the step with its name and place', async (from, name, said) => {
  const { steps } = await run({ TF_VAR_password: { [from]: name } })
  expect(steps[0]?.error).toMatchObject({
    code: 'Sluice:Iac:CLOUD_ACCESS_FAILED',
    message: expect.stringContaining(said),
  })
})
