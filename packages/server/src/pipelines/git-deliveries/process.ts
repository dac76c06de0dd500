import type { Logger } from 'pino'
import { GitAccessLost, GitHostNotConfigured, GitHostRefusal, GitHostTrouble } from '../../git/adapter/errors.ts'
import type { HostEvent } from '../../git/adapter/host.ts'
import { type OpenParts, openRepository } from '../../git/code-sources/open.ts'
import { setAccessLost } from '../../git/code-sources/store.ts'
import type { CodeSourceRow } from '../../git/code-sources/tables.ts'
import { idsWithTriggers } from '../../modules/module-instances/store.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { actingFor } from '../../platform/db/organization.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { beginFeedback, reopenFeedback } from '../git-feedback/store.ts'
import { feedbackMessages } from '../git-feedback/wake.ts'
import { messagesOf } from '../pipeline-runs/tell.ts'
import type { AskedFor } from '../pipeline-triggers/pull-request.ts'
import type { Push } from '../pipeline-triggers/push.ts'
import { pipelinesTriggeredBy } from '../pipeline-triggers/store.ts'
import { completeDelivery, loadDelivery, setAccess, sourcesOf } from './store.ts'

type Pushed = Extract<HostEvent, { kind: 'push' }>
type Tagged = Extract<HostEvent, { kind: 'tag' }>
type PullRequest = Extract<HostEvent, { kind: 'pull-request' }>

/** What happened in a repository that an organization reads as this code source. */
export type GitNews = { source: CodeSourceRow; event: Pushed | PullRequest; changedPaths: string[] | null }

type AnyNews = Omit<GitNews, 'event'> & { event: GitNews['event'] | Tagged }

/** The same of a pull request, also of one from a fork. */
export type RequestNews = Omit<GitNews, 'event'> & { event: PullRequest }

export interface DeliveryParts extends OpenParts {
  db: Db
  ofOrganization: Database['ofOrganization']
  clock: () => Date
  log: Logger
  /** Starts a run of each pipeline that waits for the push; the ids of the runs that the engine is to be told of. */
  runsForPush: (tx: Db, push: Push, now: Date) => Promise<string[]>
  runsForRequest: (tx: Db, asked: AskedFor, now: Date) => Promise<string[]>
  /** The same of each module instance whose stack waits for what happened. */
  instanceRunsFor: (tx: Db, news: GitNews, now: Date) => Promise<string[]>
  /** Notes what becomes of the preview environments of a pull request; the messages have them looked at. */
  previewsFor: (tx: Db, news: RequestNews, now: Date) => Promise<Message[]>
  /** The same of repositories whose files are watched: of a push, and of a pull request. */
  watchedPushed: (tx: Db, news: GitNews, now: Date) => Promise<Message[]>
  watchedRequested: (tx: Db, news: RequestNews, now: Date) => Promise<Message[]>
  /** Whether which files a pull request changes decides about any of that. */
  needsPaths: (db: Db, organizationId: string, codeSourceId: string) => Promise<boolean>
}

/**
 * Does what a delivery asks for, all of it in one transaction with its end: none of it is done twice, however often the
 * message comes. What the host must be asked for is asked before. The messages are for the engine.
 */
export async function processDelivery(parts: DeliveryParts, id: string): Promise<Message[]> {
  const { db, clock } = parts
  const delivery = await loadDelivery(db, id)
  if (!delivery || delivery.completedAt) return []
  const { sender, events } = delivery
  const news = (await Promise.all(events.map((event) => newsOf(parts, sender, event)))).flat()
  return db.transaction(async (tx) => {
    const now = clock()
    if (!(await completeDelivery(tx, id, now))) return []
    const messages: Message[] = []
    for (const found of news) {
      const work = () => start(parts, tx, found, now)
      messages.push(...(await actingFor(tx, found.source.organizationId, work)))
    }
    for (const event of events) {
      if (event.kind === 'access') await setAccess(tx, event)
      if (event.kind !== 'pull-request') continue
      messages.push(...(await showAgain(tx, sender, event, now)))
      messages.push(...(await requestedOf(parts, tx, { sender, event, news, now })))
    }
    return messages
  })
}

async function start(parts: DeliveryParts, tx: Db, news: AnyNews, now: Date): Promise<Message[]> {
  const { source, event } = news
  const runIds = await runsOf(parts, tx, news, now)
  const at = { branch: event.kind === 'tag' ? event.tag : event.branch, commit: event.commit }
  const feedback = await beginFeedback(tx, source, runIds, at, now)
  if (source.accessLost) await setAccessLost(tx, source, false) // its host would not tell us otherwise
  const watched = event.kind === 'tag' ? [] : await parts.watchedPushed(tx, { ...news, event }, now)
  return [...messagesOf({ runs: runIds }), ...feedbackMessages(feedback), ...watched]
}

async function runsOf(parts: DeliveryParts, tx: Db, news: AnyNews, now: Date): Promise<string[]> {
  const { source, event, changedPaths } = news
  if (event.kind === 'tag') return parts.runsForPush(tx, pushOf(news, event), now)
  const asked = event.kind === 'push' ? undefined : askedFor(news, event)
  const ofPipelines =
    event.kind === 'push'
      ? await parts.runsForPush(tx, pushOf(news, event), now)
      : asked
        ? await parts.runsForRequest(tx, asked, now)
        : []
  return [...ofPipelines, ...(await parts.instanceRunsFor(tx, { source, event, changedPaths }, now))]
}

/** A pull request that was opened after the push learns of its runs too. */
async function showAgain(tx: Db, sender: string, event: PullRequest, now: Date): Promise<Message[]> {
  if (!event.isOpen) return []
  const messages: Message[] = []
  for (const source of await sourcesOf(tx, sender, event)) {
    const work = () => reopenFeedback(tx, source, event.commit, now)
    messages.push(...feedbackMessages(await actingFor(tx, source.organizationId, work)))
  }
  return messages
}

type Asked = { sender: string; event: PullRequest; news: AnyNews[]; now: Date }

/** Those from forks too, and those that are closed: what becomes of them is not for the git host to decide. */
async function requestedOf(parts: DeliveryParts, tx: Db, { sender, event, news, now }: Asked): Promise<Message[]> {
  const messages: Message[] = []
  for (const source of await sourcesOf(tx, sender, event)) {
    const known = news.find((one) => one.event === event && one.source.id === source.id)
    const found = { source, event, changedPaths: known?.changedPaths ?? null }
    const work = async () => [
      ...(await parts.previewsFor(tx, found, now)),
      ...(await parts.watchedRequested(tx, found, now)),
    ]
    messages.push(...(await actingFor(tx, source.organizationId, work)))
  }
  return messages
}

const pushOf = ({ source, changedPaths }: AnyNews, event: Pushed | Tagged): Push => {
  const { organizationId, id: codeSourceId } = source
  const { commit, committedAt, author, authorEmail, message, pushedBy } = event
  const ref = event.kind === 'tag' ? { tag: event.tag } : { branch: event.branch }
  return {
    organizationId,
    codeSourceId,
    ...ref,
    commit,
    committedAt,
    author,
    authorEmail,
    message,
    changedPaths,
    pushedBy,
  }
}

function askedFor({ source, changedPaths }: AnyNews, { number, branch, commit, request }: PullRequest) {
  if (!request) return undefined
  const { organizationId, id: codeSourceId } = source
  const { action, baseBranch, by } = request
  return { organizationId, codeSourceId, number, action, branch, commit, baseBranch, changedPaths, by }
}

/** Anybody can ask for something from a fork: it sets nothing off. */
const isOurs = (event: HostEvent): event is Pushed | Tagged | PullRequest =>
  event.kind === 'push' ||
  event.kind === 'tag' ||
  (event.kind === 'pull-request' && event.request?.isFromFork === false)

async function newsOf(parts: DeliveryParts, sender: string, event: HostEvent): Promise<AnyNews[]> {
  if (!isOurs(event)) return []
  const sources = await sourcesOf(parts.db, sender, event)
  return Promise.all(
    sources.map(async (source) => ({ source, event, changedPaths: await changedPathsOf(parts, source, event) })),
  )
}

async function changedPathsOf(
  parts: DeliveryParts,
  source: CodeSourceRow,
  event: AnyNews['event'],
): Promise<string[] | null> {
  if (event.kind === 'tag') return null
  if (event.kind === 'push') return event.changedPaths ?? askChangedPaths(parts, source, event.before, event.commit)
  const { organizationId } = source
  const db = parts.ofOrganization(organizationId)
  const isAsked =
    (await idsWithTriggers(db, organizationId)).length > 0 ||
    (await pipelinesTriggeredBy(db, organizationId, { type: 'pull_request', code_source_id: source.id })).length > 0 ||
    (await parts.needsPaths(db, organizationId, source.id))
  if (!isAsked) return null
  return askChangedPaths(parts, source, event.request?.baseCommit ?? event.request?.baseBranch ?? null, event.commit)
}

/** Without the host's word it may be any path: a run too many does less harm than one that never comes. */
async function askChangedPaths(
  parts: DeliveryParts,
  source: CodeSourceRow,
  before: string | null,
  commit: string,
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
