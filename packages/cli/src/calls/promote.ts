import { findEnvironment } from '@sluice/calls/find'
import { harmless } from '@sluice/calls/harmless'
import type { Client } from '@sluice/client'
import type { OnwardStep } from '@sluice/contract'
import { connect, type Where } from './connect.ts'
import { isWhole } from './output.ts'
import { printAnswer } from './print.ts'
import { type Stay, stayWith } from './stay.ts'
import { watchDeployment } from './watch.ts'

type Wishes = Where & Stay & { to?: string; dryRun?: true; override?: string }

/** Releases in a later environment what a deployment released, or only says what would be. */
export async function promote(id: string, { to, dryRun, override, ...wishes }: Wishes): Promise<void> {
  const client = connect(wishes)
  const step = await stepTo(client, id, to)
  if (dryRun) {
    show(step, wishes)
    return
  }
  const { moduleInstanceId, environmentId } = step
  const data = { moduleInstanceId, ...(override !== undefined && { override: { reason: override } }) }
  const { data: accepted } = await client.promoteDeployment({ params: { id }, body: { data } })
  await stayWith(client, accepted, `releases in ${environmentId} what ${id} released`, wishes, watchDeployment)
}

/** The place in an environment; without one, the next in the order of the project. */
async function stepTo(client: Client, id: string, to: string | undefined): Promise<OnwardStep> {
  const { included } = await client.getDeployment({ params: { id }, query: { include: ['promotion'] } })
  const onward = included?.promotion?.onward ?? []
  const environmentId = to === undefined ? onward[0]?.environmentId : (await findEnvironment(client, to)).id
  const step = onward.find((one) => one.environmentId === environmentId)
  if (step) return step
  const where = to === undefined ? 'any later environment' : to
  throw new Error(`There is no instance of the same module and givenId in ${where} that ${id} could go on to.`)
}

function show(step: OnwardStep, { output }: Wishes): void {
  if (output) {
    printAnswer(isWhole({ output }) ? { data: step } : step, { output }, ({ moduleInstanceId }) => moduleInstanceId)
    return
  }
  const value = (of: unknown) => (of === undefined ? 'not set' : JSON.stringify(of))
  const lines = [
    `It would go to ${step.moduleInstanceId} in ${step.environmentId}.`,
    ...(step.message === undefined ? [] : [`${step.promotionRuleId}: ${step.message}`]),
    ...(step.mayByHand ? [] : ['The rule does not let it go on by hand yet, unless --override says why it is to.']),
    ...step.gates.map(({ kind, message }) => `${kind}: ${message}`),
    ...step.inputs.map(({ name, from, to }) => `  ${name}: ${value(from)} here, ${value(to)} there`),
  ]
  process.stdout.write(`${lines.map(harmless).join('\n')}\n`)
}
