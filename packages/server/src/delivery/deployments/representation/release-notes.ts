import type { DeploymentSource, ReleaseNotes } from '@sluice/contract'
import type { HostedRepository, MergedPullRequest } from '../../../git/adapter/host.ts'
import { askRepository, readNamed } from '../../../git/code-sources/ask.ts'
import type { OpenParts } from '../../../git/code-sources/open.ts'
import { findCodeSourceAt } from '../../../git/code-sources/store.ts'
import type { CodeSourceRow } from '../../../git/code-sources/tables.ts'
import { commitToWire } from '../../../git/repositories/commit-to-wire.ts'
import { hostAnswers } from '../../../git/repositories/host-answers.ts'
import type { Db } from '../../../platform/db/open.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { present } from '../../../platform/present.ts'
import { findReleaseBefore } from '../store/store.ts'
import type { DeploymentRow } from '../store/tables.ts'
import { type KnownCommits, sourcesOf } from './sources.ts'

/** Commits and pull requests from the Git host, and whether they are complete. */
type ReleaseChanges = Pick<ReleaseNotes, 'commits' | 'pullRequests' | 'isComplete'>

/** Maximum number of commits, newest first, whose pull requests are requested. Each needs a request to the host. */
const maxCommits = 30
/** Maximum number of concurrent requests. */
const maxConcurrentRequests = 6

const nothing: ReleaseChanges = { commits: [], pullRequests: [], isComplete: true }

export type ReleaseNotesParts = OpenParts & { knownCommits: KnownCommits; clock: () => Date }

/**
 * Returns a function that lists what a release adds to the one that it replaced. An unavailable Git host is not an
 * error.
 */
export function createReleaseNotes({ knownCommits, clock, ...parts }: ReleaseNotesParts) {
  const answers = hostAnswers<ReleaseChanges>(clock)

  const askFor = (db: Db, source: CodeSourceRow, from: string, to: string) =>
    answers.get([source.organizationId, source.id, from, to], () =>
      askRepository(db, parts, source, readNamed(changesBetween(from, to))),
    )

  return async (db: Db, row: DeploymentRow): Promise<ReleaseNotes> => {
    const { organizationId } = row
    const before = await findReleaseBefore(db, row)
    const sources = await sourcesOf(db, organizationId, before ? [row, before] : [row], knownCommits)
    const [now, then] = [sources(row), before && sources(before)]
    const told = {
      repository: now.repository,
      commit: now.commit,
      author: now.author,
      before: before && present({ deploymentId: before.id, commit: then?.commit }),
    }
    const unknown = (reason: string): ReleaseNotes => present({ ...told, ...nothing, isComplete: false, reason })
    const asked = commitsToCompare(now, then)
    if ('reason' in asked) return unknown(asked.reason)
    if ('nothing' in asked) return present({ ...told, ...nothing })
    const source = await findCodeSourceAt(db, organizationId, asked.repository)
    if (!source) return unknown(`${asked.repository} is not connected, so its git host is not asked.`)
    try {
      const came = await askFor(db, source, asked.from, asked.to)
      const own = came.commits.find(({ id }) => id.startsWith(asked.to))
      return present({ ...told, ...came, author: told.author ?? own?.authorName })
    } catch (error) {
      if (error instanceof ApiError) return unknown(error.message)
      throw error
    }
  }
}

type Asked = { repository: string; from: string; to: string } | { nothing: true } | { reason: string }

/** Returns the repository and commits to ask for, or the reason why they are unknown. */
export function commitsToCompare(now: DeploymentSource, then: DeploymentSource | undefined): Asked {
  if (now.commit === undefined) return { reason: 'It is not known which commit is released.' }
  if (then === undefined) return { reason: 'Nothing ran before that is known.' }
  if (then.commit === undefined) return { reason: 'It is not known which commit ran before.' }
  if (now.repository === undefined) return { reason: 'It is not known which repository the commit is in.' }
  if (then.repository !== undefined && then.repository !== now.repository) {
    return { reason: `What ran before is of another repository: ${then.repository}.` }
  }
  if (now.commit === then.commit) return { nothing: true }
  return { repository: now.repository, from: then.commit, to: now.commit }
}

const changesBetween =
  (from: string, to: string) =>
  async (repository: HostedRepository): Promise<ReleaseChanges> => {
    const { items, isComplete } = await repository.commitsBetween(from, to)
    const found = new Map<number, MergedPullRequest>()
    const asked = items.slice(0, maxCommits)
    for (let first = 0; first < asked.length; first += maxConcurrentRequests) {
      const some = asked.slice(first, first + maxConcurrentRequests)
      const requests = await Promise.all(some.map(({ id }) => repository.mergedPullRequests(id)))
      for (const request of requests.flat()) found.set(request.number, request)
    }
    const pullRequests = [...found.values()].map(({ number, title, authorName, url }) =>
      present({ number, title, authorName, url }),
    )
    return { commits: items.map(commitToWire), pullRequests, isComplete: isComplete && items.length <= maxCommits }
  }
