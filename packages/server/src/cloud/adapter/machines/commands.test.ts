import { expect, test } from 'vitest'
import { startAnsweringCloud } from '../answering-cloud.fixture.ts'
import { readCommand } from './commands.ts'

const step = (Name: string, Status: string, ResponseCode: number) => ({ Name, Status, ResponseCode })

/**
 * Starts a fake cloud with one command of these steps on one instance. It returns a step's output only by the step's
 * name.
 */
const commandOf = (steps: ReturnType<typeof step>[]) =>
  startAnsweringCloud(({ operation, input }) => {
    if (operation === 'ListCommands') return { answer: { Commands: [{ CommandId: 'c1', Status: 'Failed' }] } }
    if (operation === 'ListCommandInvocations') {
      const CommandPlugins = steps.map((one) => ({ ...one, ResponseStartDateTime: 1, ResponseFinishDateTime: 2 }))
      const invocation = {
        InstanceId: 'i-1',
        CommandId: 'c1',
        Status: 'Failed',
        StatusDetails: 'Failed',
        CommandPlugins,
      }
      return { answer: { CommandInvocations: [invocation] } }
    }
    const { PluginName } = input
    if (PluginName === undefined && steps.length > 1) return { rejection: { code: 'InvalidPluginName' } }
    return { answer: { StandardOutputContent: `${PluginName} was here`, StandardErrorContent: '' } }
  })

test('a document with several steps reports the exit code of the failed step and the output of each step', async () => {
  const steps = [step('fetch', 'Success', 0), step('install', 'Failed', 7), step('restart', 'Success', 0)]
  await using cloud = await commandOf(steps)
  const { readings } = await readCommand(cloud.clients.ssm, 'c1')
  const output = 'fetch:\nfetch was here\ninstall:\ninstall was here'
  expect(readings).toMatchObject([{ instanceId: 'i-1', status: 'FAILED', exitCode: 7, output }])
})

test('a document with one step reports its plain output', async () => {
  await using cloud = await commandOf([step('aws:runShellScript', 'Failed', 1)])
  const { readings } = await readCommand(cloud.clients.ssm, 'c1')
  expect(readings).toMatchObject([{ exitCode: 1, output: 'aws:runShellScript was here' }])
})
