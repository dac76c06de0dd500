import type { IncomingHttpHeaders } from 'node:http'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { HostEvent } from './host.ts'
import { branchIn, commitOrNull } from './refs.ts'

/** The header that carries the secret of the webhook. */
export const webhookTokenHeaderOfB = 'x-gitlab-token'

/** What names a delivery: the same when it is sent again. Old servers give it no name. */
export function deliveryIdOfB(headers: IncomingHttpHeaders): string | undefined {
  const named = headers['idempotency-key'] ?? headers['x-gitlab-event-uuid']
  return typeof named === 'string' ? named : undefined
}

const Project = Type.Object({ id: Type.Integer() })
const Push = Type.Object({
  object_kind: Type.Literal('push'),
  ref: Type.String(),
  before: Type.String(),
  after: Type.String(),
  project: Project,
  user_username: Type.String(),
  total_commits_count: Type.Integer(),
  commits: Type.Array(
    Type.Object({
      added: Type.Array(Type.String()),
      modified: Type.Array(Type.String()),
      removed: Type.Array(Type.String()),
    }),
  ),
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

/** What a delivery tells us; empty where it is nothing to us. */
export function readWebhookOfB(payload: unknown): HostEvent[] {
  if (Value.Check(Push, payload)) return pushed(payload)
  if (!Value.Check(MergeRequest, payload)) return []
  const { project, object_attributes: request } = payload
  return [
    {
      kind: 'pull-request',
      gitRepositoryId: String(project.id),
      number: request.iid,
      branch: request.source_branch,
      commit: request.last_commit.id,
      isOpen: request.state === 'opened',
    },
  ]
}

/** The host lists the last 20 commits of a push. */
function pushed({
  ref,
  before,
  after,
  project,
  commits,
  total_commits_count: count,
  user_username: pushedBy,
}: Static<typeof Push>): HostEvent[] {
  const [branch, commit] = [branchIn(ref), commitOrNull(after)]
  if (branch === undefined || commit === null) return [] // a branch that is gone
  const paths = commits.flatMap(({ added, modified, removed }) => [...added, ...modified, ...removed])
  const changedPaths = commits.length >= count ? [...new Set(paths)] : null
  const gitRepositoryId = String(project.id)
  return [{ kind: 'push', gitRepositoryId, branch, before: commitOrNull(before), commit, changedPaths, pushedBy }]
}
