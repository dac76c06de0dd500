import { ExpressionError } from '@sluice/expressions'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { createSeal } from '../../platform/crypto/seal.ts'
import { eq } from '../../platform/db/drizzle.ts'
import type { Database } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { toStored } from '../../projects/default-values/stored-values.ts'
import { defaultValueDefinitions, defaultValues } from '../../projects/default-values/tables.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { createOneOfEverything, type OneOfEverything } from '../../testing/resources.ts'
import type { StepConfig } from '../pipeline-versions/config/schema.ts'
import { pipelineRuns, pipelineStepExecutions, pipelineVersions } from '../pipelines/tables.ts'
import {
  loadRunContext,
  type RunContext,
  renderApprovalMessage,
  renderStep,
  rendersTrue,
  renderValue,
} from './context.ts'

const seal = createSeal([Buffer.alloc(32, 7)])

let database: Database
let one: OneOfEverything
let context: RunContext

const step: StepConfig = { id: 'plan', type: 'command' }

beforeAll(async () => {
  database = await openTestDatabase()
  const { db } = database
  one = await createOneOfEverything(db)
  const { organizationId, byPath } = one
  const id = (path: string) => byPath[path] ?? ''
  const secret = { isSensitive: true }
  await setDefault('token', secret, 'hunter2-at-home', organizationId)
  await setDefault('token', secret, 'hunter2-in-production', id('environments'))
  await setDefault('region', {}, 'eu-west-1', organizationId)
  await setDefault('region', {}, 'eu-north-1', id('projects'))
  await setDefault('other', secret, 'never-read', organizationId)

  const config = { steps: [step] }
  await db
    .update(pipelineVersions)
    .set({ config })
    .where(eq(pipelineVersions.id, id('pipeline-versions')))
  const runId = newId('run')
  const run = { pipelineId: id('pipelines'), pipelineVersionId: id('pipeline-versions'), organizationId, id: runId }
  const [row] = await db
    .insert(pipelineRuns)
    .values({
      ...run,
      inputs: { image: 'web:1', empty: null },
      status: 'IN_PROGRESS',
      triggerSource: 'PUSH',
      triggeredBy: 'Ann',
      trigger: { kind: 'push', payload: { commit: 'c0ffee' } },
      moduleInstanceId: id('module-instances'),
    })
    .returning()
  if (!row) throw new Error('no run')
  const stepId = newId('step')
  await db.insert(pipelineStepExecutions).values({
    id: stepId,
    organizationId,
    pipelineRunId: runId,
    stepId: 'plan',
    stepName: 'Plan',
    stepType: 'command',
    status: 'SUCCESS',
    queueReason: 'READY',
    queueMetadata: {},
    engineWorkflowId: stepId,
    outputData: { count: 3 },
  })
  context = await loadRunContext(db, seal, row)
})
afterAll(() => database?.close())

async function setDefault(key: string, { isSensitive = false }, value: unknown, parentId: string): Promise<void> {
  const { db } = database
  const { organizationId } = one
  const known = await db.select().from(defaultValueDefinitions).where(eq(defaultValueDefinitions.key, key))
  const definition = { id: known[0]?.id ?? newId('dvd'), organizationId, key, isSensitive, schema: {} }
  if (known.length === 0) await db.insert(defaultValueDefinitions).values(definition)
  const parentType = parentId.startsWith('org')
    ? 'organization'
    : parentId.startsWith('prj')
      ? 'project'
      : 'environment'
  const id = newId('dv')
  const held = toStored(seal, { id, organizationId }, { isSensitive }, value)
  await db
    .insert(defaultValues)
    .values({ id, organizationId, defaultValueDefinitionId: definition.id, parentType, parentId, held })
}

test('templates can read the run and its surroundings', () => {
  const read = (template: string) => renderValue(context, template, '').value
  expect(read('<< inputs.image >>')).toBe('web:1')
  expect(read('<< inputs.empty >>')).toBeNull()
  expect(read('<< steps.plan.output.count + 1 >>')).toBe(4)
  expect(read('<< steps.plan.status >>')).toBe('SUCCESS')
  expect(read('<< trigger.payload.commit >> by << pipeline.run.triggered_by >>')).toBe('c0ffee by Ann')
  expect(read('<< pipeline.run.id >>')).toBe(context.run.id)
  expect(read('<< [pipeline.given_id, project.given_id, environment.given_id] >>')).toEqual([
    context.pipeline.givenId,
    context.project.givenId,
    context.environment?.givenId,
  ])
})

test('the most specific default value applies', () => {
  expect(renderValue(context, '<< defaults.region >>', '')).toEqual({ value: 'eu-north-1', secrets: [] })
  expect(renderValue(context, '<< defaults.token >>', '', { mayRead: () => true }).value).toBe('hunter2-in-production')
  expect(renderValue(context, '<< defaults.nothing >>', '').value).toBeNull()
})

test('rendering returns the secrets in the result, and no others', () => {
  const given = { argv: ['login', '--token=<< defaults.token >>'] }
  expect(renderStep(context, { ...step, with: given })).toEqual({
    value: { argv: ['login', '--token=hunter2-in-production'] },
    secrets: ['hunter2-in-production'],
  })
})

test(
  'a value derived from a secret is secret',
  everyCase<[string, string, string[]]>(
    [
      ['a function', '<< upper(defaults.token) >>', ['HUNTER2-IN-PRODUCTION']],
      [
        'functions one after the other',
        '<< join(split(defaults.token, ""), "_") >>',
        ['hunter2-in-production'.split('').join('_')],
      ],
      ['a part of it', '<< defaults.token[0:7] >>', ['hunter2']],
      ['a closure', '<< map([1], defaults.token + "!") >>', ['hunter2-in-production!']],
      ['a list of which it is an element', '<< first([defaults.token]) + "?" >>', ['hunter2-in-production?']],
      ['the right side of what decides', '<< false || defaults.token + "." >>', ['hunter2-in-production.']],
      ['what is chosen', '<< true ? lower(defaults.token) + "-" : "no" >>', ['hunter2-in-production-']],
    ],
    (_, template, derived) => {
      const { secrets } = renderStep(context, { ...step, with: { argv: [template] } })
      expect(secrets).toEqual(['hunter2-in-production', ...derived])
    },
  ),
)

test.each([
  ['a condition', '<< defaults.token == "x" ? "development" : "production" >>'],
  ['the left side of what decides', '<< defaults.token && "production" >>'],
  ['the closure of a filter', '<< filter(["production"], defaults.token != #) >>'],
])('a value that a secret only selects, as %s, is not secret', (_, template) => {
  expect(renderStep(context, { ...step, with: { argv: [template] } }).secrets).toEqual(['hunter2-in-production'])
})

describe('a secret is rejected by name, with its path,', () => {
  const secret = '<< join(split(defaults.token, ""), "_") >>'
  const decided = '<< defaults.token == "x" ? 1 : 2 >>'
  const typed = (type: StepConfig['type'], given: Record<string, unknown>) => () =>
    renderStep(context, { ...step, type, with: given })
  test(
    'wherever it is used',
    everyCase<[string, () => unknown, string]>(
      [
        [
          'in a message',
          () => renderApprovalMessage(context, { ...step, approval: { message: secret } }),
          'approval.message',
        ],
        [
          'deciding about a message',
          () => renderApprovalMessage(context, { ...step, approval: { message: decided } }),
          'approval.message',
        ],
        ['in a condition', () => rendersTrue(context, { ...step, when: decided }, { succeeded: true }), 'when'],
        ['in the inputs of a run', typed('pipeline', { pipeline: 'x', inputs: { a: secret } }), 'with.inputs.a'],
        [
          'in the inputs of a deployment',
          typed('deploy', { module_instance: 'x', inputs: { a: secret } }),
          'with.inputs.a',
        ],
        ['in a name', typed('deploy', { module_instance: secret }), 'with.module_instance'],
        ['in a description', typed('deploy', { description: secret }), 'with.description'],
        ['in the name of a workspace', typed('iac:plan', { workspace: secret }), 'with.workspace'],
        ['in the address of a source', typed('command', { argv: ['a'], source: { url: secret } }), 'with.source.url'],
      ],
      (_, render, place) => {
        expect(render).toThrow(ExpressionError)
        expect(render).toThrow(`steps.plan.${place}: defaults.token is sensitive`)
      },
    ),
  )
})

test('texts of programs are not rendered', () => {
  const source = { files: { 'main.tf': 'a = <<-EOT\nEOT' }, base_path: '<< inputs.image >>' }
  const given = { shell: 'cat <<EOF\nEOF', source, environment_variables: { IMAGE: '<< inputs.image >>' } }
  expect(renderStep(context, { ...step, with: given }).value).toEqual({
    ...given,
    source: { ...source, base_path: 'web:1' },
    environment_variables: { IMAGE: 'web:1' },
  })
})

test('errors have their path', () => {
  const render = () => renderStep(context, { ...step, with: { argv: ['a', '<< inputs.empty + 1 >>'] } })
  expect(render).toThrow(ExpressionError)
  expect(render).toThrow(/^steps\.plan\.with\.argv\[1\]: /)
})

describe('when', () => {
  test(
    'is evaluated before the step starts',
    everyCase(
      [
        [undefined, true],
        [false, false],
        ['<< needs.succeeded >>', true],
        ['<< !needs.succeeded >>', false],
        ['<< inputs.empty >>', false],
        ['<< steps.plan.output.count >>', true],
        ['<< steps.plan.output.count - 3 >>', false],
        ['<< "" >>', false],
        ['<< [] >>', true],
      ],
      (when, isTrue) => {
        const given = when === undefined ? step : { ...step, when }
        expect(rendersTrue(context, given, { succeeded: true })).toBe(isTrue)
      },
    ),
  )
})

test('an approval displays its rendered message', () => {
  const asking: StepConfig = { ...step, approval: { message: 'Release << inputs.image >>?' } }
  expect(renderApprovalMessage(context, asking)).toBe('Release web:1?')
  expect(renderApprovalMessage(context, step)).toBeUndefined()
})
