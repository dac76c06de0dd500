import type { Deployment, PipelineStepExecution } from '@sluice/contract'
import { connect, type Where } from './connect.ts'
import type { Style } from './output.ts'
import { printer } from './print.ts'

type Wishes = Where & Style & { comment?: string }

/** What a comment becomes in the body. */
const commented = (comment: string | undefined) => (comment === undefined ? {} : { data: { comment } })

/** A deployment, by its id; else it is a step of a run. */
const isDeployment = (id: string): boolean => id.startsWith('dep_')

/** Approves a release that waits, or a step. */
export async function approve(id: string, { comment, ...wishes }: Wishes): Promise<void> {
  const call = { params: { id }, body: commented(comment) }
  const client = connect(wishes)
  if (isDeployment(id)) return told((await client.approveDeployment(call)).data, `${id} is approved`, wishes)
  const { data: step } = await client.approvePipelineStepExecution(call)
  const isWaiting = step.status === 'PENDING_APPROVAL'
  const what = isWaiting ? 'has your approval, and waits for that of others' : 'is approved'
  told(step, `${step.stepId} ${what}`, wishes)
}

/** Turns down a release that waits, or a step. */
export async function reject(id: string, { comment, ...wishes }: Wishes): Promise<void> {
  const call = { params: { id }, body: commented(comment) }
  const client = connect(wishes)
  if (isDeployment(id)) return told((await client.rejectDeployment(call)).data, `${id} is turned down`, wishes)
  const { data: step } = await client.rejectPipelineStepExecution(call)
  told(step, `${step.stepId} is turned down`, wishes)
}

/** Takes back one's own approval of a release, or a step, that still waits. */
export async function withdraw(id: string, wishes: Where & Style): Promise<void> {
  const [client, call] = [connect(wishes), { params: { id } }]
  const { data } = await (isDeployment(id)
    ? client.withdrawDeploymentApproval(call)
    : client.withdrawPipelineStepApproval(call))
  told(data, `Your approval of ${id} is taken back`, wishes)
}

function told(record: Deployment | PipelineStepExecution, sentence: string, style: Style): void {
  const out = printer(style)
  out.say(sentence)
  out.record(record)
}
