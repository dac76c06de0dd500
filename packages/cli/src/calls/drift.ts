import { findModuleInstance } from '@sluice/calls/find'
import type { Client } from '@sluice/client'
import type { StackDrift } from '@sluice/contract'
import { connect, type UrlOption } from './connect.ts'
import type { OutputOption } from './output.ts'
import { printAnswer, printer } from './print.ts'

/** Prints the drift of an instance and its check schedule. */
export async function showDrift(instance: string, wishes: UrlOption & OutputOption): Promise<void> {
  const client = connect(wishes)
  const { data } = await client.getStackDrift({ params: { id: await stackOf(client, instance) } })
  printAnswer(data, wishes)
}

type Schedule = { cron: string; timeZone?: string; reconcile?: true }

/** Schedules drift checks of an instance. */
export async function scheduleDrift(instance: string, wishes: UrlOption & OutputOption & Schedule): Promise<void> {
  const { cron, timeZone, reconcile = false } = wishes
  const schedule = { cron, reconciles: reconcile, ...(timeZone !== undefined && { timeZone }) }
  await change(
    instance,
    schedule,
    wishes,
    ({ schedule }) => `the next drift check of ${instance} is at ${schedule?.nextAt}`,
  )
}

/** Disables drift checks of an instance. */
export const unscheduleDrift = (instance: string, wishes: UrlOption & OutputOption): Promise<void> =>
  change(instance, null, wishes, () => `${instance} has no drift checks scheduled`)

async function change(
  instance: string,
  schedule: Parameters<Client['updateStackDrift']>[0]['body']['data']['schedule'],
  wishes: UrlOption & OutputOption,
  said: (drift: StackDrift) => string,
): Promise<void> {
  const client = connect(wishes)
  const id = await stackOf(client, instance)
  const { data } = await client.updateStackDrift({ params: { id }, body: { data: { schedule } } })
  const out = printer(wishes)
  out.say(said(data))
  out.record(data)
}

/** Starts a drift check. */
export async function checkDrift(instance: string, wishes: UrlOption & OutputOption): Promise<void> {
  const client = connect(wishes)
  const { data } = await client.checkStackDrift({ params: { id: await stackOf(client, instance) } })
  const out = printer(wishes)
  out.say(
    `${instance} is checked by ${data.latestCheck?.pipelineRunId}: sluice watch ${data.latestCheck?.pipelineRunId}`,
  )
  out.record(data)
}

/** Returns the id of an instance's stack, or the given stack id. */
async function stackOf(client: Client, word: string): Promise<string> {
  if (/^stk_\w+$/.test(word)) return word
  const { id } = await findModuleInstance(client, word)
  const { stackId } = (await client.getModuleInstance({ params: { id } })).data
  if (stackId === undefined) throw new Error(`${word} has no infrastructure yet: there is nothing to look at.`)
  return stackId
}
