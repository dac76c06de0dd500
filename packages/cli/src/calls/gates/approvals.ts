import type { Deployment, PipelineStepExecution, PipelineVersion } from '@sluice/contract'
import { connect, type UrlOption } from '../connect.ts'
import type { OutputOption } from '../output.ts'
import { printer } from '../print.ts'

type Wishes = UrlOption & OutputOption & { comment?: string }

/** Returns the body for an optional comment. */
const commented = (comment: string | undefined) => (comment === undefined ? {} : { data: { comment } })

/** Reports whether an id is a deployment's rather than a step's. */
const isDeployment = (id: string): boolean => id.startsWith('dep_')

/** Reports whether an id is a pipeline version's, which policies can require to be approved. */
const isVersion = (id: string): boolean => id.startsWith('plv_')

/** Approves a waiting release, a step, or a pipeline version. */
export async function approve(id: string, { comment, ...wishes }: Wishes): Promise<void> {
  const call = { params: { id }, body: commented(comment) }
  const client = connect(wishes)
  if (isDeployment(id)) return printDecision((await client.approveDeployment(call)).data, `${id} is approved`, wishes)
  if (isVersion(id)) {
    const { data: version } = await client.approvePipelineVersion(call)
    const { included } = await client.getPipelineVersion({ params: { id }, query: { include: ['approval'] } })
    return printDecision(version, `${id} ${included?.approval?.isPending ? stillWaits : 'is approved'}`, wishes)
  }
  const { data: step } = await client.approvePipelineStepExecution(call)
  const isWaiting = step.status === 'PENDING_APPROVAL'
  const what = isWaiting ? stillWaits : 'is approved'
  printDecision(step, `${step.stepId} ${what}`, wishes)
}

const stillWaits = 'has your approval, and waits for that of others'

/** Rejects a waiting release or a step. */
export async function reject(id: string, { comment, ...wishes }: Wishes): Promise<void> {
  const call = { params: { id }, body: commented(comment) }
  const client = connect(wishes)
  if (isDeployment(id)) return printDecision((await client.rejectDeployment(call)).data, `${id} is turned down`, wishes)
  const { data: step } = await client.rejectPipelineStepExecution(call)
  printDecision(step, `${step.stepId} is turned down`, wishes)
}

/** Withdraws the caller's approval of a waiting release or step, or of a pipeline version. */
export async function withdraw(id: string, wishes: UrlOption & OutputOption): Promise<void> {
  const [client, call] = [connect(wishes), { params: { id } }]
  const { data } = await (isDeployment(id)
    ? client.withdrawDeploymentApproval(call)
    : isVersion(id)
      ? client.withdrawPipelineVersionApproval(call)
      : client.withdrawPipelineStepApproval(call))
  printDecision(data, `Your approval of ${id} is taken back`, wishes)
}

function printDecision(
  record: Deployment | PipelineStepExecution | PipelineVersion,
  sentence: string,
  style: OutputOption,
): void {
  const out = printer(style)
  out.say(sentence)
  out.record(record)
}
