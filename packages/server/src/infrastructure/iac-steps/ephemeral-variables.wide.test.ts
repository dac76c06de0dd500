import { hash } from 'node:crypto'
import type { DefaultValue } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Pipelines } from '../../testing/pipelines.ts'
import { sharedWorld, type TestOrganization } from '../../testing/world.ts'
import { missingToolReason } from './iac-world.fixture.ts'

const why = await missingToolReason()

const secret = 'ephemeral-horse-battery'
const rotated = 'rotated-horse-battery'

/** Configuration whose resource is created only if the variable has this value during the apply. */
const configuration = (expected: string, declaration = '') => `
variable "token" {
  type      = string
  ephemeral = true
  ${declaration}
}
variable "size" { default = 1 }
variable "tags" {
  type    = object({ team = string, cost = optional(number) })
  default = { team = "none" }
}
resource "terraform_data" "web" {
  count = var.size
  input = var.tags.team
  provisioner "local-exec" {
    command     = "test \\"$(printf %s \\"$TOKEN\\" | sha256sum | cut -c1-64)\\" = ${hash('sha256', expected, 'hex')}"
    environment = { TOKEN = var.token }
  }
}`

describe.skipIf(why !== undefined)(`ephemeral variables${why === undefined ? '' : ` [${why}]`}`, () => {
  let organization: TestOrganization
  let pipelines: Pipelines
  beforeAll(async () => {
    organization = await (await sharedWorld()).organization()
    pipelines = organization.pipelines
  })

  let count = 0

  async function createStack(): Promise<string> {
    count += 1
    const data = { projectId: pipelines.projectId, givenId: `ephemeral-${count}`, name: 'Ephemeral' }
    return (await organization.client.done<{ givenId: string }>('POST', '/stacks', { data })).givenId
  }

  /** Stores a default value and returns its id and the template that reads it. */
  async function createDefault(value: string, isSensitive = true): Promise<{ template: string; id: string }> {
    count += 1
    const key = `token_${count}`
    const definition = { key, schema: { type: 'string' }, isSensitive }
    const { id } = await organization.client.done<{ id: string }>('POST', '/default-value-definitions', {
      data: definition,
    })
    const data = { defaultValueDefinitionId: id, parentType: 'project', parentId: pipelines.projectId, value }
    const created = await organization.client.done<DefaultValue>('POST', '/default-values', { data })
    return { template: `<< defaults.${key} >>`, id: created.id }
  }

  async function expectSuccess(runId: string): Promise<void> {
    const run = await pipelines.untilOver(runId)
    const errors = (await pipelines.steps(runId)).flatMap(({ stepId, error }) => (error ? [{ stepId, error }] : []))
    expect(run, `The apply must have the variables of its plan: ${JSON.stringify(errors)}`).toMatchObject({
      status: 'SUCCESS',
    })
  }

  const file = `token = "${secret}"\nsize = 2\nundeclared = true\n`
  test.each<[string, object]>([
    ['variables', { variables: { token: secret, size: 2, undeclared: 1, tags: { team: 'web' } } }],
    ['a file of variable_files', { files: { 'production.tfvars': file }, variable_files: ['production.tfvars'] }],
    [
      'variable_files that variables override',
      { files: { 'a.tfvars': file }, variable_files: ['a.tfvars'], variables: { size: 1 } },
    ],
    ['environment_variables', { environment_variables: { TF_VAR_token: secret, TF_VAR_size: '2' } }],
    ['terraform.tfvars of the configuration', { files: { 'terraform.tfvars': file } }],
    ['variables, in place of a default', { declaration: 'default = "none"', variables: { token: secret } }],
    [
      'environment_variables, in place of a default',
      { declaration: 'default = "none"', environment_variables: { TF_VAR_token: secret } },
    ],
  ])('an apply and a destroy receive the ephemeral variables that the step sets by %s', async (_, given) => {
    const { files = {}, declaration, ...set } = given as { files?: object; declaration?: string }
    const source = { files: { 'main.tf': configuration(secret, declaration), ...files } }
    const planned = { stack: await createStack(), source, ...set }
    const { id } = await pipelines.run([
      { id: 'plan', type: 'iac:plan', with: planned },
      { id: 'apply', type: 'iac:apply' },
      { id: 'destroy', type: 'iac:destroy', with: planned },
    ])
    await expectSuccess(id)
  })

  test.each([
    ['variables', (template: string) => ({ variables: { token: template, size: 1 } })],
    ['environment_variables', (template: string) => ({ environment_variables: { TF_VAR_token: template } })],
  ])('an ephemeral variable of %s is read again for the apply', async (_, set) => {
    const { template, id: defaultId } = await createDefault(secret)
    const source = { files: { 'main.tf': configuration(rotated) } }
    const run = await pipelines.run([
      { id: 'plan', type: 'iac:plan', with: { stack: await createStack(), source, ...set(template) } },
      { id: 'apply', type: 'iac:apply', approval: {} },
    ])
    await pipelines.untilStep(run.id, 'apply', 'PENDING_APPROVAL')
    await organization.client.done('PATCH', `/default-values/${defaultId}`, { data: { value: rotated } })
    await pipelines.approve(run.id, 'apply')
    await expectSuccess(run.id)
  })

  test('other variables keep the values of the plan, even if their source changes', async () => {
    const [token, size] = [await createDefault(secret), await createDefault('2', false)]
    const source = { files: { 'main.tf': configuration(secret) } }
    const variables = { token: token.template, size: size.template }
    const run = await pipelines.run([
      { id: 'plan', type: 'iac:plan', with: { stack: await createStack(), source, variables } },
      { id: 'apply', type: 'iac:apply', approval: {} },
    ])
    await pipelines.untilStep(run.id, 'apply', 'PENDING_APPROVAL')
    await organization.client.done('PATCH', `/default-values/${size.id}`, { data: { value: '5' } })
    await pipelines.approve(run.id, 'apply')
    await expectSuccess(run.id)
    const apply = await pipelines.step(run.id, 'apply')
    expect(apply.outputData).toMatchObject({ summary: { changeCounts: { CREATE: 2 } } })
  })

  test('an apply without a value for an ephemeral variable fails before any change and names the variable', async () => {
    const { template, id: defaultId } = await createDefault(secret)
    const source = { files: { 'main.tf': configuration(secret) } }
    const variables = { token: `${template.slice(0, -3)} || null >>` }
    const run = await pipelines.run([
      { id: 'plan', type: 'iac:plan', with: { stack: await createStack(), source, variables } },
      { id: 'apply', type: 'iac:apply', approval: {} },
    ])
    await pipelines.untilStep(run.id, 'apply', 'PENDING_APPROVAL')
    expect(await organization.client.ask('DELETE', `/default-values/${defaultId}`)).toMatchObject({ status: 204 })
    await pipelines.approve(run.id, 'apply')
    expect(await pipelines.untilOver(run.id)).toMatchObject({ status: 'ERROR' })
    expect((await pipelines.step(run.id, 'apply')).error).toMatchObject({
      code: 'Sluice:Iac:STEP_INVALID',
      message: expect.stringContaining('with.variables.token'),
    })
  })
})
