import type { PullRequestEvent, RepositoryEvent } from '../../pipelines/git-deliveries/process.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { isInside } from './machine.ts'
import { changeWatched, dueBy, forgetRequest, hasRequest, storePullRequest, watchingBranch } from './store.ts'
import { toWatched, toWatchedRequest } from './wake.ts'

/**
 * Makes watched repositories due after a push to their branch. The host determines the newest commit, because pushes
 * are reported in any order.
 */
export async function onPush(tx: Db, { source, event, changedPaths }: RepositoryEvent, now: Date): Promise<Message[]> {
  if (event.kind !== 'push') return []
  const at = { codeSourceId: source.id, branch: event.branch }
  const messages: Message[] = []
  for (const watched of await watchingBranch(tx, source.organizationId, at)) {
    if (changedPaths !== null && !changedPaths.some((file) => isInside(file, watched.path))) continue
    await changeWatched(tx, watched, { failures: 0, ...dueBy(now) })
    messages.push(toWatched(watched.id))
  }
  return messages
}

/** Makes a pull request due for planning if it changes watched files. Ignores forks, which anyone can write. */
export async function onPullRequest(tx: Db, { source, event, changedPaths }: PullRequestEvent, now: Date) {
  const { number, commit, isOpen, request } = event
  if (!request || request.isFromFork) return []
  const at = { codeSourceId: source.id, branch: request.baseBranch }
  const messages: Message[] = []
  for (const watched of await watchingBranch(tx, source.organizationId, at)) {
    if (!isOpen) await forgetRequest(tx, watched, number)
    else if (await isAbout(tx, watched, { number, changedPaths })) {
      messages.push(toWatchedRequest((await storePullRequest(tx, watched, { number, commit }, now)).id))
    }
  }
  return messages
}

/** Includes a pull request that changed watched files before, whose report must be updated. */
const isAbout = async (
  tx: Db,
  watched: Parameters<typeof hasRequest>[1] & { path: string },
  { number, changedPaths }: { number: number; changedPaths: string[] | null },
): Promise<boolean> =>
  changedPaths === null ||
  changedPaths.some((file) => isInside(file, watched.path)) ||
  (await hasRequest(tx, watched, number))
