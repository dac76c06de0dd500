import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { present } from '../../platform/present.ts'
import type { HostEvent, PullRequestFacts } from './host.ts'
import { payloadToStore } from './payload.ts'
import { branchIn, commitFactsOf, commitOrNull, pathsListed, tagIn } from './refs.ts'

/** Verifies a webhook's HMAC-SHA256 signature in constant time. */
export function isSignedByA(body: Buffer, signature: string | undefined, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const given = Buffer.from(signature ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const Repository = Type.Object({ id: Type.Integer(), full_name: Type.Optional(Type.String()) })
/** Fields of every event about a repository. */
const About = {
  repository: Repository,
  installation: Type.Optional(Type.Object({ id: Type.Integer() })),
}
const Commit = Type.Object({
  id: Type.Optional(Type.String()),
  timestamp: Type.Optional(Type.String()),
  message: Type.Optional(Type.Unknown()),
  author: Type.Optional(Type.Unknown()),
  added: Type.Array(Type.String()),
  modified: Type.Array(Type.String()),
  removed: Type.Array(Type.String()),
})
const Push = Type.Object({
  ref: Type.String(),
  before: Type.String(),
  after: Type.String(),
  forced: Type.Optional(Type.Boolean()),
  ...About,
  pusher: Type.Object({ name: Type.String() }),
  commits: Type.Array(Commit),
  head_commit: Type.Optional(Type.Union([Commit, Type.Null()])),
})
const PullRequest = Type.Object({
  number: Type.Integer(),
  ...About,
  pull_request: Type.Object({
    state: Type.String(),
    head: Type.Object({ ref: Type.String(), sha: Type.String() }),
  }),
})
/** Fields of a pull request that decide whether it may start anything. */
const Asked = Type.Object({
  action: Type.String(),
  sender: Type.Object({ login: Type.String() }),
  pull_request: Type.Object({
    // Null if the fork was deleted.
    head: Type.Object({ repo: Type.Union([Repository, Type.Null()]) }),
    base: Type.Object({ ref: Type.String(), sha: Type.String() }),
  }),
})
const MergeGroup = Type.Object({
  action: Type.Literal('checks_requested'),
  ...About,
  merge_group: Type.Object({
    head_sha: Type.String(),
    head_ref: Type.String(),
    base_sha: Type.String(),
    base_ref: Type.String(),
  }),
  sender: Type.Object({ login: Type.String() }),
})
const Renamed = Type.Object({ action: Type.Enum(['renamed', 'transferred']), ...About })
const Installation = Type.Object({ action: Type.String(), installation: Type.Object({ id: Type.Integer() }) })
const InstallationRepositories = Type.Object({
  installation: Type.Object({ id: Type.Integer() }),
  repositories_added: Type.Array(Repository),
  repositories_removed: Type.Array(Repository),
})

/** Converts a webhook of the event `name` to events; none if it is irrelevant. */
export function readWebhookOfA(name: string, payload: unknown): HostEvent[] {
  switch (name) {
    case 'push':
      return reading(Push, payload, pushed)
    case 'pull_request':
      return reading(PullRequest, payload, ({ number, pull_request: { state, head }, ...about }) => [
        {
          kind: 'pull-request',
          ...aboutOf(about),
          number,
          branch: head.ref,
          commit: head.sha,
          isOpen: state === 'open',
          ...requestAuthor(payload, about.repository.id),
          ...payloadToStore(Object(payload)),
        },
      ])
    case 'merge_group':
      return reading(MergeGroup, payload, queued)
    case 'repository':
      return reading(Renamed, payload, (about) => [{ kind: 'renamed', ...aboutOf(about) }])
    case 'installation':
      return reading(Installation, payload, ({ action, installation }) => {
        const isLost = ['deleted', 'suspend'].includes(action)
        const isBack = ['created', 'unsuspend', 'new_permissions_accepted'].includes(action)
        return isLost || isBack ? [{ kind: 'access', installationId: String(installation.id), isLost }] : []
      })
    case 'installation_repositories':
      return reading(InstallationRepositories, payload, (told) => {
        const installationId = String(told.installation.id)
        const about = (repositories: { id: number }[], isLost: boolean): HostEvent[] => {
          const gitRepositoryIds = repositories.map(({ id }) => String(id))
          return gitRepositoryIds.length === 0 ? [] : [{ kind: 'access', installationId, gitRepositoryIds, isLost }]
        }
        return [...about(told.repositories_removed, true), ...about(told.repositories_added, false)]
      })
    default:
      return []
  }
}

const aboutOf = ({ repository, installation }: Pick<Static<typeof Renamed>, 'repository' | 'installation'>) => ({
  gitRepositoryId: String(repository.id),
  ...present({ repoName: repository.full_name, installationId: installation && String(installation.id) }),
})

function queued({ merge_group: group, sender, ...about }: Static<typeof MergeGroup>): HostEvent[] {
  const [branch, baseBranch] = [branchIn(group.head_ref), branchIn(group.base_ref)]
  if (branch === undefined || baseBranch === undefined) return []
  const { head_sha: commit, base_sha: baseCommit } = group
  return [{ kind: 'merge-group', ...aboutOf(about), branch, commit, baseBranch, baseCommit, by: sender.login }]
}

function requestAuthor(payload: unknown, repositoryId: number): { request?: PullRequestFacts } {
  if (!Value.Check(Asked, payload)) return {}
  const { action, sender, pull_request: asked } = payload
  const { ref: baseBranch, sha: baseCommit } = asked.base
  const isFromFork = asked.head.repo?.id !== repositoryId
  return { request: { action, baseBranch, baseCommit, isFromFork, by: sender.login } }
}

/** GitHub's maximum number of commits per push and of files per commit. */
const maxCommits = 2_048
const maxFiles = 3_000

function pushed(payload: Static<typeof Push>): HostEvent[] {
  const { ref, before, after, pusher, commits, forced = false } = payload
  const [branch, commit] = [branchIn(ref), commitOrNull(after)]
  if (commit === null) return [] // the branch was deleted
  if (branch === undefined) return tagged(payload)
  const files = commits.map(({ added, modified, removed }) => [...added, ...modified, ...removed])
  const isComplete = commits.length < maxCommits && files.every((some) => some.length < maxFiles)
  return [
    {
      kind: 'push',
      ...aboutOf(payload),
      branch,
      before: commitOrNull(before),
      commit,
      ...commitFactsOf(commits, commit),
      changedPaths: isComplete && !forced ? pathsListed(files) : null,
      pushedBy: pusher.name,
      ...payloadToStore(payload),
    },
  ]
}

/** Converts a pushed tag. For an annotated tag, `after` is the tag object, so the commit comes from `head_commit`. */
function tagged({ ref, after, pusher, head_commit: head, ...about }: Static<typeof Push>): HostEvent[] {
  const [tag, commit] = [tagIn(ref), head?.id ?? after]
  if (tag === undefined) return []
  const facts = commitFactsOf(head ? [head] : [], commit)
  return [{ kind: 'tag', ...aboutOf(about), tag, commit, ...facts, pushedBy: pusher.name }]
}

/** Ignores payloads that do not match the documented schema. */
const reading = <T extends TSchema>(schema: T, payload: unknown, read: (body: Static<T>) => HostEvent[]) =>
  Value.Check(schema, payload) ? read(payload) : []

/** Reads the delivery's event and id from its headers. A redelivery has the same id. */
export function deliveryHeadersOfA(headers: IncomingHttpHeaders) {
  const textOf = (name: string) => {
    const value = headers[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    event: textOf('x-github-event') ?? '',
    deliveryId: textOf('x-github-delivery'),
    signature: textOf('x-hub-signature-256'),
  }
}
