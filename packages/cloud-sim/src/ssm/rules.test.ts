import {
  AddTagsToResourceCommand,
  CreateDocumentCommand,
  DescribeDocumentCommand,
  DescribeParametersCommand,
  GetDocumentCommand,
  ListTagsForResourceCommand,
  PutParameterCommand,
  type PutParameterCommandInput,
  SendCommandCommand,
  UpdateDocumentCommand,
  UpdateDocumentDefaultVersionCommand,
} from '@aws-sdk/client-ssm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { startCloud, type TestCloud } from '../testing/cloud.ts'

let cloud: TestCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud[Symbol.asyncDispose]())

const step = { action: 'aws:runShellScript', name: 'release', inputs: { runCommand: ['deploy {{ image }}'] } }
const parameters = {
  image: { type: 'String', allowedPattern: '^[a-z/:.0-9]+$' },
  stage: { type: 'String', default: 'test', allowedValues: ['test', 'live'] },
}
const contentOf = (changes: object) =>
  JSON.stringify({ schemaVersion: '2.2', parameters, mainSteps: [step], ...changes })
const create = (Name: string, changes: object) =>
  cloud.ssm.send(new CreateDocumentCommand({ Name, Content: contentOf(changes), DocumentType: 'Command' }))

test(
  'an invalid document is rejected',
  everyCase<[string, object, RegExp]>(
    [
      ['no steps', { mainSteps: [] }, /has no mainSteps/],
      [
        'a step that is no plugin',
        { mainSteps: [{ ...step, action: 'aws:nothing' }] },
        /plugin aws:nothing of a step is not valid/,
      ],
      ['a step without a name', { mainSteps: [{ ...step, name: undefined }] }, /name undefined of a step/],
      ['two steps of a name', { mainSteps: [step, step] }, /unique names: release/],
      ['a step without inputs', { mainSteps: [{ ...step, inputs: undefined }] }, /has no inputs/],
      ['a parameter that nobody declared', { parameters: {} }, /reads the parameter image, which is not defined/],
      ['a type that is none', { parameters: { image: { type: 'Text' } } }, /must be of a type/],
      [
        'a pattern that is none',
        { parameters: { image: { type: 'String', allowedPattern: '(' } } },
        /no regular expression/,
      ],
      [
        'a default that is not allowed',
        { parameters: { ...parameters, stage: { ...parameters.stage, default: 'x' } } },
        /not one of its allowedValues/,
      ],
    ],
    async (_, changes, message) => {
      await expect(create('refused', changes)).rejects.toMatchObject({
        name: 'InvalidDocumentContent',
        message: expect.stringMatching(message),
      })
    },
  ),
)

test('a command with parameters that its document does not allow is rejected', async () => {
  await create('release', {})
  const send = (Parameters: Record<string, string[]>) =>
    cloud.ssm.send(
      new SendCommandCommand({ DocumentName: 'release', Parameters, Targets: [{ Key: 'tag:a', Values: ['b'] }] }),
    )
  const refused = (message: RegExp) => ({ name: 'InvalidParameters', message: expect.stringMatching(message) })
  await expect(send({ image: ['a; rm -rf /'] })).rejects.toMatchObject(refused(/does not match the allowed pattern/))
  await expect(send({ image: ['a:1'], stage: ['prod'] })).rejects.toMatchObject(refused(/must be one of test, live/))
  await expect(send({ image: ['a:1', 'a:2'] })).rejects.toMatchObject(refused(/takes one value, not 2/))
  await expect(send({})).rejects.toMatchObject(refused(/image is required/))
  await expect(send({ image: ['a:1'], stage: ['live'] })).resolves.toBeDefined()
})

test('a document has versions, a default version and tags', async () => {
  const Name = 'versions'
  await create(Name, { description: 'first' })
  const update = (description: string) =>
    cloud.ssm.send(new UpdateDocumentCommand({ Name, Content: contentOf({ description }), DocumentVersion: '$LATEST' }))
  await expect(update('first')).rejects.toMatchObject({ name: 'DuplicateDocumentContent' })
  const { DocumentDescription } = await update('second')
  expect(DocumentDescription).toMatchObject({ DocumentVersion: '2', DefaultVersion: '1', Description: 'second' })
  const shown = async () => (await cloud.ssm.send(new DescribeDocumentCommand({ Name }))).Document?.Description
  expect(await shown()).toBe('first')
  await cloud.ssm.send(new UpdateDocumentDefaultVersionCommand({ Name, DocumentVersion: '2' }))
  expect(await shown()).toBe('second')
  const first = await cloud.ssm.send(new GetDocumentCommand({ Name, DocumentVersion: '1' }))
  expect(JSON.parse(first.Content ?? '')).toMatchObject({ description: 'first' })
  const tagged = { ResourceType: 'Document' as const, ResourceId: Name }
  await cloud.ssm.send(new AddTagsToResourceCommand({ ...tagged, Tags: [{ Key: 'team', Value: 'web' }] }))
  expect((await cloud.ssm.send(new ListTagsForResourceCommand(tagged))).TagList).toEqual([
    { Key: 'team', Value: 'web' },
  ])
})

test(
  'an invalid parameter is rejected',
  everyCase<[string, Partial<PutParameterCommandInput>, string]>(
    [
      ['a value that its pattern does not allow', { AllowedPattern: '^\\d+$' }, 'ParameterPatternMismatchException'],
      ['a pattern that is none', { AllowedPattern: '(' }, 'InvalidAllowedPatternException'],
      ['a name of the cloud', { Name: '/aws/text' }, 'ValidationException'],
      ['a path without its first slash', { Name: 'shop/text' }, 'ValidationException'],
      ['sixteen levels', { Name: '/a'.repeat(16) }, 'HierarchyLevelLimitExceededException'],
    ],
    async (_, changes, name) => {
      const put = new PutParameterCommand({ Name: '/shop/text', Value: 'text', Type: 'String', ...changes })
      await expect(cloud.ssm.send(put)).rejects.toMatchObject({ name })
    },
  ),
)

test('parameters are described without their values', async () => {
  const about = { Description: 'A text.', AllowedPattern: '^t' }
  await cloud.ssm.send(new PutParameterCommand({ Name: '/shop/known', Value: 'text', Type: 'String', ...about }))
  const ParameterFilters = [{ Key: 'Name', Option: 'Equals', Values: ['/shop/known'] }]
  const { Parameters } = await cloud.ssm.send(new DescribeParametersCommand({ ParameterFilters }))
  expect(Parameters).toMatchObject([{ Name: '/shop/known', Version: 1, Tier: 'Standard', ...about }])
  const overwrite = { Name: '/shop/known', Value: 'x', Overwrite: true }
  await expect(cloud.ssm.send(new PutParameterCommand(overwrite))).rejects.toMatchObject({
    name: 'ParameterPatternMismatchException',
  })
})
