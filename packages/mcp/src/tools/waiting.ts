import type { Client } from '@sluice/client'
import type { Deployment, PipelineStepExecution } from '@sluice/contract'
import { pendingPause } from '@sluice/contract/states'
import { counted, maxRows } from '../answer.ts'
import { firstOf } from '../pages.ts'
import { toWord } from '../quote.ts'
import { defineReadTool, inputOf } from '../tool.ts'
import { toRow } from './deployments.ts'

export const whatWaitsForMe = defineReadTool({
  name: 'what_waits_for_me',
  title: 'What waits for me',
  description:
    'Steps of pipelines that wait for approval and deployments that are paused, about which the person or the service account of the key may decide. Steps are approved in the console or with the command line, by people only.',
  input: inputOf({}),
  needs: 'deployments:read',
  async answer(client) {
    const [steps, deployments] = await Promise.all([
      firstOf(maxLoadedSteps, (query) =>
        client.listPipelineStepExecutions({ query: { ...query, status: ['PENDING_APPROVAL'] } }),
      ),
      firstOf(maxRows, (query) => client.listDeployments({ query: { ...query, status: ['IN_PROGRESS'] } })),
    ])
    const paused = deployments.rows.filter(pendingPause)
    const approvals = (await Promise.all(steps.rows.map((step) => approvalFor(client, step)))).filter(
      (one) => one !== undefined,
    )
    const places = await placesWithSay(client, paused)
    const pauses = paused.filter(({ environmentId }) => places.has(environmentId)).map(pauseOf)
    const others = steps.rows.length - approvals.length + paused.length - pauses.length
    const isAll = steps.rows.length === steps.total && deployments.rows.length === deployments.total
    const unseen = isAll ? '' : ' There are more than were looked at: the newest.'
    return {
      says: `${counted(approvals.length, 'step')} and ${counted(pauses.length, 'paused deployment')} wait for the holder of this key; ${others} for others.${unseen}`,
      lines: [
        ...approvals.map(
          ({ id, stepName, asks, pipelineRunId }) =>
            `${toWord(stepName)} (${id}) of ${pipelineRunId} asks: ${toWord(asks)}`,
        ),
        ...pauses.map(
          ({ id, hookId, stage, since, description }) =>
            `${id} is paused since ${since} at ${stage} (${hookId}): ${toWord(description)}`,
        ),
      ],
      data: { approvals, pauses },
    }
  },
})

/** Maximum number of steps to load, because each needs a request of its own for the subject of its approval. */
const maxLoadedSteps = 20

/** Returns the pending approval of a step, if the caller can decide it. */
async function approvalFor(client: Client, { id, stepName, pipelineRunId }: PipelineStepExecution) {
  const [{ data: step, included }, { data: may }] = await Promise.all([
    client.getPipelineStepExecution({ params: { id }, query: { include: ['subject'] } }),
    client.getPermissions({ query: { stepExecutionId: id } }),
  ])
  const { subject } = included ?? {}
  if (subject?.isApprover !== true || !may.permissions.includes('approvals:write')) return undefined
  const asks = String(Reflect.get(Object(step.statusDetail?.approval), 'message') ?? 'It waits for a decision.')
  return { id, stepName, pipelineRunId, asks, subject }
}

/** Returns the environments of these deployments in which the caller may continue them. */
async function placesWithSay(client: Client, deployments: Deployment[]): Promise<Set<string>> {
  const places = new Map(deployments.map(({ environmentId, projectId }) => [environmentId, projectId]))
  const asked = [...places].map(async ([environmentId, projectId]) => {
    const { data } = await client.getPermissions({ query: { projectId, environmentId } })
    return data.permissions.includes('approvals:write') ? [environmentId] : []
  })
  return new Set((await Promise.all(asked)).flat())
}

function pauseOf(deployment: Deployment) {
  const { hookId, lifecycleStage: stage, startedAt: since } = pendingPause(deployment) ?? {}
  return { ...toRow(deployment), hookId, stage, since }
}
