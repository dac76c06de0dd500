import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OrganizationWithTasks, organizationWithTasks } from '../../pipelines/runner-tasks/tasks.fixture.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { missingToolReason } from './iac-world.fixture.ts'

const why = await missingToolReason()
const main = `
resource "terraform_data" "one" { input = "hello" }
output "said" { value = terraform_data.one.output }`

let world: World
let organization: OrganizationWithTasks

beforeAll(async () => {
  if (why) return
  world = await startWorld({ hasTasks: true })
  organization = await organizationWithTasks(world)
})
afterAll(() => world?.[Symbol.asyncDispose]())

test.skipIf(why)(
  'a stack is planned and applied by tasks in the account without separate session credentials',
  async () => {
    const { client, pipelines, cloudAccountId, environment } = organization
    const data = { projectId: pipelines.projectId, givenId: 'hello', name: 'Hello' }
    await client.done('POST', '/stacks', { data })
    const there = { execution_environment_id: environment.id }
    const work = { stack: 'hello', source: { files: { 'main.tf': main } }, cloud_account_id: cloudAccountId }
    const run = await pipelines.run([
      { id: 'plan', type: 'iac:plan', ...there, with: work },
      { id: 'apply', type: 'iac:apply', ...there },
    ])
    const over = await pipelines.untilOver(run.id, 120_000)
    expect(over, JSON.stringify(over.error)).toMatchObject({ status: 'SUCCESS' })
    const [plan, apply] = await pipelines.steps(run.id)
    expect(apply).toMatchObject({ attemptEpoch: 1, outputData: { outputs: { said: 'hello' } } })
    expect(new Set([plan?.logs?.logStreamPrefix, apply?.logs?.logStreamPrefix]).size).toBe(2)
    expect(await organization.tasks()).toHaveLength(2)
  },
)
