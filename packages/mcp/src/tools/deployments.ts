import { explain } from '@sluice/calls/explain'
import { findModuleInstance } from '@sluice/calls/find'
import type { Client, ReplyOf } from '@sluice/client'
import { type Deployment, DeploymentStatus, deploymentStatuses } from '@sluice/contract'
import { releaseMarksOf, versionOf } from '@sluice/contract/release-version'
import { meaningOfDeployment, pendingPause, unfinishedDeploymentStatuses } from '@sluice/contract/states'
import { Type } from 'typebox'
import { counted } from '../answer.ts'
import { describeRest } from '../pages.ts'
import { toWord } from '../quote.ts'
import { defineReadTool, id, idOrGivenId, inputOf, limit } from '../tool.ts'

export const listDeployments = defineReadTool({
  name: 'list_deployments',
  title: 'List deployments',
  description: 'Deployments, newest first, of everything or of one instance, environment or project.',
  input: inputOf({
    instance: Type.Optional(idOrGivenId('a module instance')),
    environmentId: Type.Optional(id('an environment')),
    projectId: Type.Optional(id('a project')),
    status: Type.Optional(
      Type.Array(DeploymentStatus, { maxItems: deploymentStatuses.length, description: 'Only those.' }),
    ),
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_000, description: 'The nextCursor of the answer before.' }),
    ),
    limit,
  }),
  needs: 'deployments:read',
  async answer(client, { instance, ...filter }) {
    const of = instance === undefined ? {} : { moduleInstanceId: (await findModuleInstance(client, instance)).id }
    const { data, meta } = await client.listDeployments({ query: { ...filter, ...of } })
    const rows = data.map(toRow)
    const { nextCursor, totalCount } = meta
    const how = nextCursor
      ? 'ask again with the nextCursor of the data as cursor, or narrow it by status.'
      : 'on the pages before.'
    return {
      says: `${counted(totalCount, 'deployment')}.${describeRest(rows.length, totalCount, how)}`,
      lines: rows.map(lineOf),
      data: { deployments: rows, ...(nextCursor && { nextCursor }) },
    }
  },
})

export const explainDeployment = defineReadTool({
  name: 'explain_deployment',
  title: 'Explain a deployment',
  description:
    'The status of a deployment and the reasons: what it waits for, why it failed and the remedy, its last events, its checks, its sources, and the decisions.',
  input: inputOf({ deploymentId: id('the deployment') }),
  needs: 'deployments:read',
  async answer(client, { deploymentId }) {
    const found = await deploymentWithAll(client, deploymentId)
    const before = await loadQueuedBefore(client, found.data)
    return { says: describeState(found.data, before.length), ...described(found, before) }
  },
})

type Found = ReplyOf<'getDeployment'>

export const deploymentWithAll = (client: Client, deploymentId: string): Promise<Found> =>
  client.getDeployment({
    params: { id: deploymentId },
    query: { include: ['analysis', 'decisions', 'forecast', 'source'] },
  })

/** Returns deployments of the same instance that are ahead in the queue. */
async function loadQueuedBefore(client: Client, { id, status, moduleInstanceId, createdAt }: Deployment) {
  if (status !== 'PENDING') return []
  const query = { moduleInstanceId, status: unfinishedDeploymentStatuses, limit: 20 }
  const { data } = await client.listDeployments({ query })
  return data.filter((one) => one.id !== id && one.createdAt <= createdAt).map(toRow)
}

/** Returns a summary without foreign text. */
function describeState(deployment: Deployment, before: number): string {
  const { id, status } = deployment
  if (status === 'PENDING' && before > 0)
    return `${id} waits for ${counted(before, 'deployment')} of the same instance.`
  if (pendingPause(deployment)) return `${id} is paused and waits for a user to continue it or to roll it back.`
  return `${id} is ${status}: ${sentences[meaningOfDeployment[status]]}`
}

const sentences = {
  waiting: 'it waits for its turn; its last event says for what, where it is not only that.',
  'under way': 'it is carried out.',
  succeeded: 'it succeeded.',
  failed: 'it failed.',
  'called off': 'it was called off.',
} as const

/** Maximum number of latest events to list. */
const maxEvents = 15

export function described({ data: deployment, included = {} }: Found, before: Row[] = []) {
  const row = toRow(deployment)
  const events = (deployment.data?.events ?? []).slice(-maxEvents)
  const pause = pendingPause(deployment)
  const reason = deployment.error && explain(deployment.error)
  const lines = [
    lineOf(row),
    ...(reason ? reason.split('\n') : []),
    ...before.map((one) => `carried out first: ${lineOf(one)}`),
    ...(pause ? [`paused: hookId ${pause.hookId}, stage ${pause.lifecycleStage ?? ''}, since ${pause.startedAt}`] : []),
    ...events.map((one) => `${one.startedAt} ${one.stepCode} ${toWord(one.message)}`),
    ...(included.decisions ?? []).map(
      (one) => `${one.createdAt} ${one.kind} by ${toWord(one.actor.name)} ${toWord(one.reason)}`,
    ),
  ]
  return { lines, data: { deployment: row, reason, waitsFor: before, pause, events, ...included } }
}

type Row = ReturnType<typeof toRow>

/** Returns the fields of a deployment in a list. */
export function toRow({ data, error, ...deployment }: Deployment) {
  const { id, status, moduleInstanceId, environmentId, projectId, resourceName, description } = deployment
  const { triggerSource, pipelineRunId, createdAt, completedAt } = deployment
  return {
    id,
    status,
    version: versionOf(releaseMarksOf(data)),
    moduleInstanceId,
    resourceName,
    environmentId,
    projectId,
    description,
    triggerSource,
    triggeredBy: data?.triggeredBy,
    pipelineRunId,
    createdAt,
    completedAt,
    failure: error?.message,
  }
}

export function lineOf({
  id,
  status,
  version,
  resourceName,
  createdAt,
  triggeredBy,
  description,
  failure,
}: Row): string {
  const what = [version, resourceName && `to ${resourceName}`, triggeredBy && `by ${triggeredBy}`].filter(Boolean)
  return `${id} ${status} ${createdAt} ${toWord(what.join(' '))}: ${toWord(description)}${failure ? ` (${toWord(failure)})` : ''}`
}
