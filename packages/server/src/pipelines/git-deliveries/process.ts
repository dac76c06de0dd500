import {
  GitAccessLost,
  GitHostNotConfigured,
  GitHostPermanentError,
  GitHostTransientError,
} from '../../git/adapter/errors.ts'
import type { HostEvent, HostedRepository } from '../../git/adapter/host.ts'
import { type OpenParts, openRepository } from '../../git/code-sources/open.ts'
import { type RenamedSource, renameCodeSource, setAccessLost } from '../../git/code-sources/store.ts'
import type { CodeSourceRow } from '../../git/code-sources/tables.ts'
import { isClaimed } from '../../git/githosta-installations/store.ts'
import { idsWithTriggers } from '../../modules/module-instances/store.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { runAsOrganization } from '../../platform/db/organization.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { reopenFeedback, startStatusReports } from '../git-feedback/store.ts'
import { feedbackMessages } from '../git-feedback/wake.ts'
import { messagesOf } from '../pipeline-runs/recipients.ts'
import { type MergeGroup, runsForMergeGroup } from '../pipeline-triggers/merge-group.ts'
import { runsForRequest } from '../pipeline-triggers/pull-request.ts'
import { type Push, runsForPush } from '../pipeline-triggers/push.ts'
import type { TriggerParts } from '../pipeline-triggers/start-triggered.ts'
import { pipelinesTriggeredBy } from '../pipeline-triggers/store.ts'
import { completeDelivery, loadDelivery, sourcesOf, updateAccess } from './store.ts'

type Pushed = Extract<HostEvent, { kind: 'push' }>
type Tagged = Extract<HostEvent, { kind: 'tag' }>
type PullRequest = Extract<HostEvent, { kind: 'pull-request' }>
type Queued = Extract<HostEvent, { kind: 'merge-group' }>

/** Event in a repository that an organization connected as this code source. */
export type RepositoryEvent = { source: CodeSourceRow; event: Pushed | PullRequest; changedPaths: string[] | null }

type AnyGitEvent = Omit<RepositoryEvent, 'event'> & { event: RepositoryEvent['event'] | Tagged | Queued }

/** Pull request event, including those from forks. */
export type PullRequestEvent = Omit<RepositoryEvent, 'event'> & { event: PullRequest }

/** Subscriber to repository events. Each function runs in the transaction that completes the delivery. */
export type GitSubscriber = {
  /** Starts runs for a push or a pull request. Returns their ids, for the engine. */
  startRuns?(tx: Db, news: RepositoryEvent, now: Date): Promise<string[]>
  /** Stores the effects of a push or a pull request. Returns the messages to send after the commit. */
  onBranchEvent?(tx: Db, news: RepositoryEvent, now: Date): Promise<Message[]>
  /** Stores the effects of any pull request event, including from forks and closed ones. */
  onPullRequest(tx: Db, news: PullRequestEvent, now: Date): Promise<Message[]>
  /** Returns whether the subscriber needs the files that a pull request changes. */
  needsPaths(db: Db, organizationId: string, codeSourceId: string): Promise<boolean>
}

export interface DeliveryParts extends OpenParts, TriggerParts {
  db: Db
  ofOrganization: Database['ofOrganization']
  clock: () => Date
  subscribers: readonly GitSubscriber[]
}

/**
 * Processes a delivery in one transaction that also completes it, so that repeated messages have no effect. Requests to
 * the host happen before the transaction. Returns messages for the engine.
 */
export async function processDelivery(parts: DeliveryParts, id: string): Promise<Message[]> {
  const { db, clock } = parts
  const delivery = await loadDelivery(db, id)
  if (!delivery || delivery.completedAt) return []
  const { sender, events } = delivery
  const renamed = await renamedSources(parts, sender, events)
  const news = (await Promise.all(events.map((event) => newsOf(parts, sender, event)))).flat()
  return db.transaction(async (tx) => {
    const now = clock()
    if (!(await completeDelivery(tx, id, now))) return []
    for (const one of renamed) await runAsOrganization(tx, one.source.organizationId, () => renameCodeSource(tx, one))
    const messages: Message[] = []
    for (const found of news) {
      const work = () => start(parts, tx, found, now)
      messages.push(...(await runAsOrganization(tx, found.source.organizationId, work)))
    }
    for (const event of events) {
      if (event.kind === 'access') await updateAccess(tx, event)
      if (event.kind !== 'pull-request') continue
      messages.push(...(await reportRunsAgain(tx, sender, event, now)))
      messages.push(...(await notifyPullRequestSubscribers(parts, tx, { sender, event, news, now })))
    }
    return messages
  })
}

async function start(parts: DeliveryParts, tx: Db, news: AnyGitEvent, now: Date): Promise<Message[]> {
  const { source, event } = news
  const runIds = await runsOf(parts, tx, news, now)
  const at = { branch: event.kind === 'tag' ? event.tag : event.branch, commit: event.commit }
  const feedback = await startStatusReports(tx, source, runIds, at, now)
  if (source.accessLost) await setAccessLost(tx, source, false) // otherwise its host would not send events
  const messages = [...messagesOf({ runs: runIds }), ...feedbackMessages(feedback)]
  if (!isOfBranch(news)) return messages
  for (const one of parts.subscribers) messages.push(...((await one.onBranchEvent?.(tx, news, now)) ?? []))
  return messages
}

async function runsOf(parts: DeliveryParts, tx: Db, news: AnyGitEvent, now: Date): Promise<string[]> {
  const runIds = await pipelineRunsOf(parts, tx, news, now)
  if (!isOfBranch(news)) return runIds
  for (const one of parts.subscribers) runIds.push(...((await one.startRuns?.(tx, news, now)) ?? []))
  return runIds
}

/** Reports whether an event is about a branch, which module instances and watched repositories subscribe to. */
const isOfBranch = (news: AnyGitEvent): news is RepositoryEvent =>
  news.event.kind === 'push' || news.event.kind === 'pull-request'

async function pipelineRunsOf(parts: DeliveryParts, tx: Db, news: AnyGitEvent, now: Date): Promise<string[]> {
  const { event } = news
  if (event.kind === 'push' || event.kind === 'tag') return runsForPush(tx, pushOf(news, event), parts, now)
  if (event.kind === 'merge-group') return runsForMergeGroup(tx, groupOf(news, event), parts, now)
  const asked = askedFor(news, event)
  return asked ? runsForRequest(tx, asked, parts, now) : []
}

/** Reports existing runs to a pull request that was opened after the push. */
async function reportRunsAgain(tx: Db, sender: string, event: PullRequest, now: Date): Promise<Message[]> {
  if (!event.isOpen) return []
  const messages: Message[] = []
  for (const source of await sourcesOf(tx, sender, event)) {
    const work = () => reopenFeedback(tx, source, event.commit, now)
    messages.push(...feedbackMessages(await runAsOrganization(tx, source.organizationId, work)))
  }
  return messages
}

type Asked = { sender: string; event: PullRequest; news: AnyGitEvent[]; now: Date }

/**
 * Passes pull requests to the subscribers, including those from forks and closed ones, which they handle themselves.
 */
async function notifyPullRequestSubscribers(
  parts: DeliveryParts,
  tx: Db,
  { sender, event, news, now }: Asked,
): Promise<Message[]> {
  const messages: Message[] = []
  for (const source of await sourcesOf(tx, sender, event)) {
    const known = news.find((one) => one.event === event && one.source.id === source.id)
    const found = { source, event, changedPaths: known?.changedPaths ?? null }
    for (const one of parts.subscribers) {
      const work = () => one.onPullRequest(tx, found, now)
      messages.push(...(await runAsOrganization(tx, source.organizationId, work)))
    }
  }
  return messages
}

const pushOf = ({ source, changedPaths }: AnyGitEvent, event: Pushed | Tagged): Push => {
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

function askedFor({ source, changedPaths }: AnyGitEvent, { number, branch, commit, request }: PullRequest) {
  if (!request) return undefined
  const { organizationId, id: codeSourceId } = source
  const { action, baseBranch, by } = request
  return { organizationId, codeSourceId, number, action, branch, commit, baseBranch, changedPaths, by }
}

function groupOf({ source, changedPaths }: AnyGitEvent, { branch, commit, baseBranch, by }: Queued): MergeGroup {
  const { organizationId, id: codeSourceId } = source
  return { organizationId, codeSourceId, branch, commit, baseBranch, changedPaths, by }
}

/** Excludes pull requests from forks, which anyone can open and so must not start anything. */
const isNotFromFork = (event: HostEvent): event is AnyGitEvent['event'] =>
  event.kind === 'push' ||
  event.kind === 'tag' ||
  event.kind === 'merge-group' ||
  (event.kind === 'pull-request' && event.request?.isFromFork === false)

async function newsOf(parts: DeliveryParts, sender: string, event: HostEvent): Promise<AnyGitEvent[]> {
  if (!isNotFromFork(event)) return []
  const sources = await sourcesOf(parts.db, sender, event)
  return Promise.all(
    sources.map(async (source) => ({ source, event, changedPaths: await changedPathsOf(parts, source, event) })),
  )
}

async function changedPathsOf(
  parts: DeliveryParts,
  source: CodeSourceRow,
  event: AnyGitEvent['event'],
): Promise<string[] | null> {
  if (event.kind === 'tag') return null
  if (event.kind === 'push') return pushedPathsOf(parts, source, event)
  if (!(await isWaitedFor(parts, source, event))) return null
  const base =
    event.kind === 'merge-group' ? event.baseCommit : (event.request?.baseCommit ?? event.request?.baseBranch)
  return base === undefined
    ? null
    : readFromHost(parts, source, (repository) => repository.changedPaths(base, event.commit))
}

/** Reports whether any trigger for pull requests or merge groups depends on the changed files. */
async function isWaitedFor(
  parts: DeliveryParts,
  { organizationId, id }: CodeSourceRow,
  event: PullRequest | Queued,
): Promise<boolean> {
  const db = parts.ofOrganization(organizationId)
  const type = event.kind === 'merge-group' ? 'merge_group' : 'pull_request'
  if ((await pipelinesTriggeredBy(db, organizationId, { type, code_source_id: id })).length > 0) return true
  if (event.kind === 'merge-group') return false
  if ((await idsWithTriggers(db, organizationId)).length > 0) return true
  for (const one of parts.subscribers) if (await one.needsPaths(db, organizationId, id)) return true
  return false
}

/**
 * Returns the files that a push changed: from the event or, if that is incomplete, from the host's comparison of the
 * commits.
 */
async function pushedPathsOf(parts: DeliveryParts, source: CodeSourceRow, event: Pushed): Promise<string[] | null> {
  const { before, commit, changedPaths: listed, mayBeForced = false } = event
  if (before === null || (listed !== null && !mayBeForced)) return listed
  const compared = await readFromHost(parts, source, (repository) => repository.pushedPaths(before, commit))
  return compared === null ? listed : [...new Set([...(listed ?? []), ...compared])]
}

/**
 * Reads from the host of a code source; returns null after an error. A null list of files matches any path, because an
 * unnecessary run is better than a missing one.
 */
async function readFromHost<T>(
  parts: DeliveryParts,
  source: CodeSourceRow,
  ask: (repository: HostedRepository) => Promise<T | undefined>,
): Promise<T | null> {
  try {
    const repository = await openRepository(parts.ofOrganization(source.organizationId), parts, source)
    return (await ask(repository)) ?? null
  } catch (error) {
    const isHosts = [GitHostTransientError, GitAccessLost, GitHostPermanentError, GitHostNotConfigured].some(
      (kind) => error instanceof kind,
    )
    if (!isHosts) throw error
    parts.log.info({ err: error, codeSource: source.id }, 'the git host did not answer about a repository')
    return null
  }
}

/**
 * Returns the code sources whose repository the host has renamed or moved to another installation, confirmed by the
 * host.
 */
async function renamedSources(
  parts: DeliveryParts,
  sender: string,
  events: readonly HostEvent[],
): Promise<RenamedSource[]> {
  const found = new Map<string, RenamedSource>()
  for (const event of events) {
    if (!('repoName' in event) || event.repoName === undefined) continue
    for (const source of await sourcesOf(parts.db, sender, event)) {
      if (source.repoName.toLowerCase() === event.repoName.toLowerCase()) continue
      const auth = await currentAuth(parts.db, source, event.installationId)
      // Reads the name from the host, because the sender of a delivery could claim any name.
      const facts = await readFromHost(parts, { ...source, auth }, (repository) => repository.read())
      if (facts?.gitRepositoryId !== source.gitRepositoryId) continue
      found.set(source.id, { source, auth, repoName: facts.repoName })
    }
  }
  return [...found.values()]
}

/**
 * Returns the credentials for a transferred repository: those of the new owner's installation, if the organization has
 * claimed it.
 */
async function currentAuth(
  db: Db,
  { organizationId, auth }: CodeSourceRow,
  installationId: string | undefined,
): Promise<CodeSourceRow['auth']> {
  if (auth.kind !== 'installation' || installationId === undefined) return auth
  return (await isClaimed(db, organizationId, installationId))
    ? { kind: 'installation', githostaInstallationId: installationId }
    : auth
}
