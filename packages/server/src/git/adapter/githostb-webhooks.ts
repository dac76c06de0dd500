import type { IncomingHttpHeaders } from 'node:http'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { present } from '../../platform/present.ts'
import type { HostEvent, PullRequestFacts } from './host.ts'
import { payloadToStore } from './payload.ts'
import { branchIn, commitFactsOf, commitOrNull, pathsListed, tagIn } from './refs.ts'

/** Header with the webhook's secret. */
export const webhookTokenHeaderOfB = 'x-gitlab-token'

/** Returns the delivery's id, which is the same on a redelivery. Old servers send none. */
export function deliveryIdOfB(headers: IncomingHttpHeaders): string | undefined {
  const named = headers['idempotency-key'] ?? headers['x-gitlab-event-uuid']
  return typeof named === 'string' ? named : undefined
}

const Project = Type.Object({ id: Type.Integer(), path_with_namespace: Type.Optional(Type.String()) })
/** Who pushed. Not every GitLab version sends both fields with every push. */
const Pusher = { user_username: Type.Optional(Type.String()), user_name: Type.Optional(Type.String()) }
const Push = Type.Object({
  object_kind: Type.Literal('push'),
  ref: Type.String(),
  before: Type.String(),
  after: Type.String(),
  project: Project,
  ...Pusher,
  total_commits_count: Type.Integer(),
  commits: Type.Array(
    Type.Object({
      id: Type.Optional(Type.String()),
      timestamp: Type.Optional(Type.String()),
      message: Type.Optional(Type.Unknown()),
      author: Type.Optional(Type.Unknown()),
      added: Type.Array(Type.String()),
      modified: Type.Array(Type.String()),
      removed: Type.Array(Type.String()),
    }),
  ),
})
const TagPush = Type.Object({
  object_kind: Type.Literal('tag_push'),
  ref: Type.String(),
  after: Type.String(),
  /** Commit of the tag, also if annotated. Null if the tag was deleted. */
  checkout_sha: Type.Union([Type.String(), Type.Null()]),
  project: Project,
  ...Pusher,
  commits: Push.properties.commits,
})
const MergeRequest = Type.Object({
  object_kind: Type.Literal('merge_request'),
  project: Project,
  object_attributes: Type.Object({
    iid: Type.Integer(),
    state: Type.String(),
    source_branch: Type.String(),
    last_commit: Type.Object({ id: Type.String() }),
  }),
})

/** Fields of a merge request that decide whether it may start anything. */
const Asked = Type.Object({
  user: Type.Object({ username: Type.String() }),
  object_attributes: Type.Object({
    action: Type.String(),
    /** Previous commit, if the update added commits. */
    oldrev: Type.Optional(Type.String()),
    target_branch: Type.String(),
    source_project_id: Type.Union([Type.Integer(), Type.Null()]),
    target_project_id: Type.Integer(),
  }),
})

/** GitLab's actions in GitHub's terms. */
const actions: Record<string, string> = { open: 'opened', reopen: 'reopened', close: 'closed', merge: 'closed' }

function requestAuthor(payload: unknown): { request?: PullRequestFacts } {
  if (!Value.Check(Asked, payload)) return {}
  const { user, object_attributes: asked } = payload
  const { action, oldrev, target_branch: baseBranch, source_project_id: from, target_project_id: to } = asked
  const called = action === 'update' ? (oldrev === undefined ? 'edited' : 'synchronize') : (actions[action] ?? action)
  const isFromFork = from !== to
  return { request: { action: called, baseBranch, baseCommit: undefined, isFromFork, by: user.username } }
}

/** Converts a webhook to events; none if it is irrelevant. */
export function readWebhookOfB(payload: unknown): HostEvent[] {
  if (Value.Check(Push, payload)) return pushed(payload)
  if (Value.Check(TagPush, payload)) return tagged(payload)
  if (!Value.Check(MergeRequest, payload)) return []
  const { project, object_attributes: request } = payload
  return [
    {
      kind: 'pull-request',
      ...aboutOf(project),
      number: request.iid,
      branch: request.source_branch,
      commit: request.last_commit.id,
      isOpen: request.state === 'opened',
      ...requestAuthor(payload),
      ...payloadToStore(payload),
    },
  ]
}

const aboutOf = ({ id, path_with_namespace: repoName }: Static<typeof Project>) => ({
  gitRepositoryId: String(id),
  ...present({ repoName }),
})

const pusherOf = ({ user_username, user_name }: { user_username?: string; user_name?: string }): string =>
  user_username ?? user_name ?? 'somebody'

function tagged(payload: Static<typeof TagPush>): HostEvent[] {
  const { ref, after, checkout_sha: commit, project, commits } = payload
  const tag = tagIn(ref)
  if (tag === undefined || commit === null || commitOrNull(after) === null) return [] // the tag was deleted
  const facts = commitFactsOf(commits, commit)
  return [{ kind: 'tag', ...aboutOf(project), tag, commit, ...facts, pushedBy: pusherOf(payload) }]
}

/** Converts a push. GitLab lists its last 20 commits and does not report force pushes. */
function pushed(payload: Static<typeof Push>): HostEvent[] {
  const { ref, before, after, project, commits, total_commits_count: count } = payload
  const [branch, commit] = [branchIn(ref), commitOrNull(after)]
  if (branch === undefined || commit === null) return [] // the branch was deleted
  const files = commits.map(({ added, modified, removed }) => [...added, ...modified, ...removed])
  return [
    {
      kind: 'push',
      ...aboutOf(project),
      branch,
      before: commitOrNull(before),
      commit,
      ...commitFactsOf(commits, commit),
      changedPaths: commits.length >= count ? pathsListed(files) : null,
      mayBeForced: true,
      pushedBy: pusherOf(payload),
      ...payloadToStore(payload),
    },
  ]
}
