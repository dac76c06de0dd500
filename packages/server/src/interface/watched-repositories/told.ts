import type { GitNews, RequestNews } from '../../pipelines/git-deliveries/process.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { isInside } from './machine.ts'
import { changeWatched, dueBy, forgetRequest, hasRequest, noteRequest, watchingBranch } from './store.ts'
import { toWatched, toWatchedRequest } from './wake.ts'

/**
 * Has watched repositories looked at of whose branch a push tells. Which commit is the newest the host is asked: it
 * tells of pushes in any order.
 */
export async function watchedPushed(tx: Db, { source, event, changedPaths }: GitNews, now: Date): Promise<Message[]> {
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

/** Has the files of a pull request planned, if it changes some; never those of a fork, which anybody may write. */
export async function watchedRequested(tx: Db, { source, event, changedPaths }: RequestNews, now: Date) {
  const { number, commit, isOpen, request } = event
  if (!request || request.isFromFork) return []
  const at = { codeSourceId: source.id, branch: request.baseBranch }
  const messages: Message[] = []
  for (const watched of await watchingBranch(tx, source.organizationId, at)) {
    if (!isOpen) await forgetRequest(tx, watched, number)
    else if (await isAbout(tx, watched, { number, changedPaths })) {
      messages.push(toWatchedRequest((await noteRequest(tx, watched, { number, commit }, now)).id))
    }
  }
  return messages
}

/** One that changed watched files before is told that it does so no more. */
const isAbout = async (
  tx: Db,
  watched: Parameters<typeof hasRequest>[1] & { path: string },
  { number, changedPaths }: { number: number; changedPaths: string[] | null },
): Promise<boolean> =>
  changedPaths === null ||
  changedPaths.some((file) => isInside(file, watched.path)) ||
  (await hasRequest(tx, watched, number))
