import { CreateDocumentCommand, GetCommandInvocationCommand } from '@aws-sdk/client-ssm'
import { expect, test } from 'vitest'
import { startCloud } from '../testing/cloud.ts'
import { createWorkers, invocationsOf, sendRelease } from '../testing/fleet.ts'

const step = (name: string) => ({
  action: 'aws:runShellScript',
  name,
  inputs: { runCommand: ['deploy {{imageUri}}'] },
})
const Content = JSON.stringify({
  schemaVersion: '2.2',
  parameters: { imageUri: { type: 'String' }, deployId: { type: 'String' } },
  mainSteps: [step('fetch'), step('deploy')],
})

test('a command has a plugin per step of its document, and each is returned by its name', async () => {
  await using cloud = await startCloud()
  const [InstanceId = ''] = await createWorkers(cloud, 1)
  await cloud.ssm.send(new CreateDocumentCommand({ Name: 'two-steps', Content }))
  const CommandId = await sendRelease(cloud, 'web:2-crash', { DocumentName: 'two-steps' })
  await cloud.control.advance(600)

  const [invocation] = await invocationsOf(cloud, CommandId)
  expect(invocation?.CommandPlugins).toMatchObject([
    { Name: 'fetch', Status: 'Success', ResponseCode: 0 },
    { Name: 'deploy', Status: 'Failed', ResponseCode: 1 },
  ])
  const ask = (PluginName?: string) =>
    cloud.ssm.send(new GetCommandInvocationCommand({ CommandId, InstanceId, ...(PluginName && { PluginName }) }))
  expect(await ask('deploy')).toMatchObject({ PluginName: 'deploy', ResponseCode: 1, Status: 'Failed' })
  expect(await ask('fetch')).toMatchObject({ PluginName: 'fetch', ResponseCode: 0, StandardErrorContent: '' })
  await expect(ask()).rejects.toMatchObject({ name: 'InvalidPluginName' })
  await expect(ask('none')).rejects.toMatchObject({ name: 'InvalidPluginName' })
})
