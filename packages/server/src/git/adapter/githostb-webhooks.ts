import type { IncomingHttpHeaders } from 'node:http'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { present } from '../../platform/present.ts'
import type { HostEvent, PullRequestFacts } from './host.ts'
import { keptPayload } from './payload.ts'
import { branchIn, commitFactsOf, commitOrNull, pathsListed, tagIn } from './refs.ts'

/** The header that carries the secret of the webhook. */
export const webhookTokenHeaderOfB = 'x-gitlab-token'

/** What names a delivery: the same when it is sent again. Old servers give it no name. */
export function deliveryIdOfB(headers: IncomingHttpHeaders): string | undefined {
  const named = headers['idempotency-key'] ?? headers['x-gitlab-event-uuid']
  return typeof named === 'string' ? named : undefined
}

const Project = Type.Object({ id: Type.Integer(), path_with_namespace: Type.Optional(Type.String()) })
/** Who pushed: not every version of the host tells both of every push. */
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
  /** The commit; a tag with a message is an object of its own. Null where it is gone. */
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

/** What a merge request says beside that: whether it may set anything off. */
const Asked = Type.Object({
  user: Type.Object({ username: Type.String() }),
  object_attributes: Type.Object({
    action: Type.String(),
    /** The commit before, where there are new ones. */
    oldrev: Type.Optional(Type.String()),
    target_branch: Type.String(),
    source_project_id: Type.Union([Type.Integer(), Type.Null()]),
    target_project_id: Type.Integer(),
  }),
})

/** In the words of the first host. */
const actions: Record<string, string> = { open: 'opened', reopen: 'reopened', close: 'closed', merge: 'closed' }

function askedBy(payload: unknown): { request?: PullRequestFacts } {
  if (!Value.Check(Asked, payload)) return {}
  const { user, object_attributes: asked } = payload
  const { action, oldrev, target_branch: baseBranch, source_project_id: from, target_project_id: to } = asked
  const called = action === 'update' ? (oldrev === undefined ? 'edited' : 'synchronize') : (actions[action] ?? action)
  const isFromFork = from !== to
  return { request: { action: called, baseBranch, baseCommit: undefined, isFromFork, by: user.username } }
}

/** What a delivery tells us; empty where it is nothing to us. */
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
      ...askedBy(payload),
      ...keptPayload(payload),
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
  if (tag === undefined || commit === null || commitOrNull(after) === null) return [] // it is gone
  const facts = commitFactsOf(commits, commit)
  return [{ kind: 'tag', ...aboutOf(project), tag, commit, ...facts, pushedBy: pusherOf(payload) }]
}

/** The host lists the last 20 commits of a push, and does not tell whether it was forced. */
function pushed(payload: Static<typeof Push>): HostEvent[] {
  const { ref, before, after, project, commits, total_commits_count: count } = payload
  const [branch, commit] = [branchIn(ref), commitOrNull(after)]
  if (branch === undefined || commit === null) return [] // a branch that is gone
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
      ...keptPayload(payload),
    },
  ]
}
