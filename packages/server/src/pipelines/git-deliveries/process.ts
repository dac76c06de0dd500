import type { Logger } from 'pino'
import { GitAccessLost, GitHostNotConfigured, GitHostRefusal, GitHostTrouble } from '../../git/adapter/errors.ts'
import type { HostEvent } from '../../git/adapter/host.ts'
import { type OpenParts, openRepository } from '../../git/code-sources/open.ts'
import { setAccessLost } from '../../git/code-sources/store.ts'
import type { CodeSourceRow } from '../../git/code-sources/tables.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { actingFor } from '../../platform/db/organization.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { beginFeedback, reopenFeedback } from '../git-feedback/store.ts'
import { feedbackMessages } from '../git-feedback/wake.ts'
import { messagesOf } from '../pipeline-runs/tell.ts'
import type { Push } from '../pipeline-triggers/push.ts'
import { completeDelivery, loadDelivery, setAccess, sourcesOf } from './store.ts'

type Pushed = Extract<HostEvent, { kind: 'push' }>

export interface DeliveryParts extends OpenParts {
  db: Db
  ofOrganization: Database['ofOrganization']
  clock: () => Date
  log: Logger
  /** Starts a run of each pipeline that waits for the push; the ids of the runs that the engine is to be told of. */
  runsForPush: (tx: Db, push: Push, now: Date) => Promise<string[]>
}

/** A push with each code source that it is about. */
type Found = { push: Push; source: CodeSourceRow }

/**
 * Does what a delivery asks for, all of it in one transaction with its end: none of it is done twice, however often the
 * message comes. What the host must be asked for is asked before. The messages are for the engine.
 */
export async function processDelivery(parts: DeliveryParts, id: string): Promise<Message[]> {
  const { db, clock } = parts
  const delivery = await loadDelivery(db, id)
  if (!delivery || delivery.completedAt) return []
  const { sender, events } = delivery
  const pushes = (await Promise.all(events.map((event) => pushesOf(parts, sender, event)))).flat()
  return db.transaction(async (tx) => {
    const now = clock()
    if (!(await completeDelivery(tx, id, now))) return []
    const messages: Message[] = []
    for (const found of pushes) {
      const work = () => start(parts, tx, found, now)
      messages.push(...(await actingFor(tx, found.source.organizationId, work)))
    }
    for (const event of events) {
      if (event.kind === 'access') await setAccess(tx, event)
      if (event.kind === 'pull-request') messages.push(...(await showAgain(tx, sender, event, now)))
    }
    return messages
  })
}

async function start(parts: DeliveryParts, tx: Db, { push, source }: Found, now: Date): Promise<Message[]> {
  const runIds = await parts.runsForPush(tx, push, now)
  const { branch, commit } = push
  const feedback = await beginFeedback(tx, source, runIds, { branch, commit }, now)
  if (source.accessLost) await setAccessLost(tx, source, false) // its host would not tell us otherwise
  return [...messagesOf({ runs: runIds }), ...feedbackMessages(feedback)]
}

/** A pull request that was opened after the push learns of its runs too. */
async function showAgain(
  tx: Db,
  sender: string,
  event: Extract<HostEvent, { kind: 'pull-request' }>,
  now: Date,
): Promise<Message[]> {
  if (!event.isOpen) return []
  const messages: Message[] = []
  for (const source of await sourcesOf(tx, sender, event)) {
    const work = () => reopenFeedback(tx, source, event.commit, now)
    messages.push(...feedbackMessages(await actingFor(tx, source.organizationId, work)))
  }
  return messages
}

async function pushesOf(parts: DeliveryParts, sender: string, event: HostEvent): Promise<Found[]> {
  if (event.kind !== 'push') return []
  const sources = await sourcesOf(parts.db, sender, event)
  return Promise.all(
    sources.map(async (source) => {
      const changedPaths = event.changedPaths ?? (await askChangedPaths(parts, source, event))
      const { branch, commit, pushedBy } = event
      const { organizationId, id: codeSourceId } = source
      return { source, push: { organizationId, codeSourceId, branch, commit, changedPaths, pushedBy } }
    }),
  )
}

/** Without the host's word it may be any path: a run too many does less harm than one that never comes. */
async function askChangedPaths(
  parts: DeliveryParts,
  source: CodeSourceRow,
  { before, commit }: Pushed,
): Promise<string[] | null> {
  if (before === null) return null
  try {
    const repository = await openRepository(parts.ofOrganization(source.organizationId), parts, source)
    return (await repository.changedPaths(before, commit)) ?? null
  } catch (error) {
    const isHosts = [GitHostTrouble, GitAccessLost, GitHostRefusal, GitHostNotConfigured].some(
      (kind) => error instanceof kind,
    )
    if (!isHosts) throw error
    parts.log.info({ err: error, codeSource: source.id }, 'the git host did not tell what a push changed')
    return null
  }
}
