import { ExpressionError } from '@sluice/expressions'
import { findCodeSourceAt } from '../../git/code-sources/store.ts'
import { serviceAuthor } from '../../identity/audit-events/author.ts'
import type { InstanceNode } from '../../modules/module-instances/graph.ts'
import { loadGraph } from '../../modules/module-instances/load.ts'
import { renderTriggers, type StackTrigger } from '../../modules/module-instances/stack-block.ts'
import { idsWithTriggers, lockModuleInstance } from '../../modules/module-instances/store.ts'
import type { RepositoryEvent } from '../../pipelines/git-deliveries/process.ts'
import { admitRun } from '../../pipelines/pipeline-runs/admit.ts'
import { authorsOf } from '../../pipelines/pipeline-triggers/push.ts'
import type { TriggerParts } from '../../pipelines/pipeline-triggers/start-triggered.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { nearestDefaults } from '../../projects/default-values/nearest.ts'
import { startInstanceRun } from './start.ts'
import { type GitEvent, matchesGitEvent, runOf } from './trigger.ts'

type Json = Record<string, unknown>

/**
 * Starts a run for each module instance whose stack trigger matches the Git event. Returns the ids of runs to notify
 * the engine of. Call it in the transaction that ends the delivery.
 */
export async function instanceRunsFor(
  tx: Db,
  news: RepositoryEvent,
  parts: TriggerParts,
  now: Date,
): Promise<string[]> {
  const { organizationId } = news.source
  const ids = await idsWithTriggers(tx, organizationId)
  if (ids.length === 0) return []
  const graph = await loadGraph(tx, organizationId, ids)
  const event = eventOf(news)
  const started: string[] = []
  for (const id of ids) {
    const placed = graph.find(id)
    const trigger = await triggerFor(tx, { placed, values: graph.resolve(id).values, news, event })
    if (trigger) started.push(...(await start(tx, { id, trigger, news, event }, parts, now)))
  }
  return started
}

function eventOf({ source, event, changedPaths }: RepositoryEvent): GitEvent {
  const type = source.type === 'GITHOSTA' ? 'webhook:githosta' : 'webhook:githostb'
  const isPush = event.kind === 'push'
  return {
    event: isPush ? 'push' : 'pull_request',
    type,
    branch: isPush ? event.branch : (event.request?.baseBranch ?? ''),
    action: isPush ? undefined : event.request?.action,
    changedPaths,
    payload: event.payload,
  }
}

type TriggerLookup = { placed: InstanceNode; values: Json; news: RepositoryEvent; event: GitEvent }

/** Returns the first matching trigger of an instance. */
async function triggerFor(tx: Db, { placed, values, news, event }: TriggerLookup): Promise<StackTrigger | undefined> {
  const { organizationId, id: codeSourceId } = news.source
  const { projectId, environmentId } = placed
  const nearest = await nearestDefaults(tx, organizationId, { projectId, environmentId })
  for (const trigger of renderTriggers({ placed, values, nearest }) ?? []) {
    if (trigger.repo === undefined || !matchesGitEvent(trigger, event)) continue
    const connected = await findCodeSourceAt(tx, organizationId, trigger.repo)
    if (connected?.id === codeSourceId) return trigger
  }
  return undefined
}

type Occasion = { id: string; trigger: StackTrigger; news: RepositoryEvent; event: GitEvent }

/** Starts one run. An error is logged, because no user waits for it, and the other runs still start. */
async function start(
  tx: Db,
  { id, trigger, news, event }: Occasion,
  { log, limits }: TriggerParts,
  now: Date,
): Promise<string[]> {
  const { organizationId } = news.source
  try {
    return await tx.transaction(async (savepoint) => {
      const locked = await lockModuleInstance(savepoint, organizationId, id)
      if (!locked || locked.status === 'DESTROYED' || locked.status === 'DESTROYING') return []
      await admitRun(limits, savepoint, organizationId)
      const { runIds } = await startInstanceRun(savepoint, locked, 'change', {
        author: serviceAuthor(organizationId, 'WEBHOOK'),
        isAutoApproved: false,
        triggerSource: 'PUSH',
        triggeredBy: describeTrigger(news),
        now,
        setOff: {
          kind: 'push',
          ...runOf(trigger),
          payload: payloadOf(trigger, news, event),
          authors: news.event.kind === 'push' ? authorsOf(news.event) : [],
        },
      })
      return runIds
    })
  } catch (error) {
    const about = { moduleInstanceId: id, trigger: trigger.id }
    if (error instanceof ApiError)
      log.warn({ ...about, reason: error.message, details: error.extras.details }, 'a trigger started no run')
    else if (error instanceof ExpressionError) log.warn({ ...about, faults: error.faults }, 'a trigger started no run')
    else throw error // the delivery is processed again
    return []
  }
}

function describeTrigger({ event }: RepositoryEvent): string {
  if (event.kind === 'push') return `${event.pushedBy}, by a push to ${event.branch}`
  return `${event.request?.by ?? 'a user'}, by the pull request ${event.number}`
}

/** Maximum number of changed paths in a trigger's payload. */
const listedPaths = 100

/** Returns the payload that trigger templates read. */
function payloadOf({ id }: StackTrigger, { source, event, changedPaths }: RepositoryEvent, gitEvent: GitEvent): Json {
  const request = event.kind === 'push' ? undefined : event
  return {
    trigger_id: id,
    event: gitEvent.event,
    code_source_id: source.id,
    branch: event.branch,
    commit: event.commit,
    changed_paths: changedPaths?.slice(0, listedPaths) ?? null,
    ...(request && { number: request.number, base_branch: gitEvent.branch }),
  }
}
