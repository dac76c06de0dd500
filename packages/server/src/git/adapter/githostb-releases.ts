import Type from 'typebox'
import type { Ask } from './ask.ts'
import type { PageOfGithostb } from './githostb-pages.ts'
import type { ReleaseState, RepositoryReleases } from './host.ts'

interface Parts {
  /** URL of the project in the API. */
  at: string
  ours: Ask
  pageOf: PageOfGithostb
}

/** Reports releases as GitLab deployments: docs.gitlab.com/api/deployments. */
export function createReleasesAtB({ at, ours, pageOf }: Parts): RepositoryReleases {
  return {
    // GitLab stores no external id, so candidates are deployments of this commit since then that no CI job created.
    async findReleases({ commit, environment }, since) {
      const query = new URLSearchParams({ environment, order_by: 'id', sort: 'desc' })
      const { items } = await pageOf(Deployment, `/deployments?${query}`, 1)
      const from = since.getTime() - maxSkewMs
      const mayBe = items.filter(
        ({ sha, deployable, created_at }) => sha === commit && !deployable && Date.parse(created_at) >= from,
      )
      return mayBe.map((one) => String(one.id)).toReversed()
    },

    async createRelease({ commit, environment }) {
      // The commit also serves as the ref, because the branch may be deleted.
      const body = { environment, sha: commit, ref: commit, tag: false, status: 'running' }
      return String((await ours(Made, { method: 'POST', url: `${at}/deployments`, body })).body.id)
    },

    async setReleaseStatus(id, { state, isTransient }) {
      const url = `${at}/deployments/${encodeURIComponent(id)}`
      const { status: present, environment } = (await ours(Made, { url })).body
      const status = statusAtB[state]
      // GitLab rejects a status that is already set.
      if (present !== status) await ours(Type.Unknown(), { method: 'PUT', url, body: { status } })
      if (state === 'replaced' && isTransient) await stopIfLast(environment.id, id)
    },
  }

  /** Stops the environment, unless a later deployment has replaced this one. */
  async function stopIfLast(environmentId: number, releaseId: string): Promise<void> {
    const url = `${at}/environments/${environmentId}`
    const { state, last_deployment: last } = (await ours(Environment, { url })).body
    if (state === 'available' && String(last?.id) === releaseId)
      await ours(Type.Unknown(), { method: 'POST', url: `${url}/stop` })
  }
}

/** Maximum assumed clock skew of the host, in milliseconds. */
const maxSkewMs = 5 * 60_000

/** GitLab statuses by release state. GitLab itself determines the latest deployment of an environment. */
const statusAtB = {
  running: 'running',
  success: 'success',
  failure: 'failed',
  cancelled: 'canceled',
  replaced: 'success',
} as const satisfies Record<ReleaseState, string>

const Made = Type.Object({
  id: Type.Integer(),
  status: Type.String(),
  environment: Type.Object({ id: Type.Integer() }),
})
/** GitLab environment, as in docs.gitlab.com/api/environments. */
const Environment = Type.Object({
  state: Type.String(),
  last_deployment: Type.Optional(Type.Union([Type.Object({ id: Type.Integer() }), Type.Null()])),
})
const Deployment = Type.Object({
  id: Type.Integer(),
  sha: Type.String(),
  created_at: Type.String(),
  deployable: Type.Optional(Type.Unknown()),
})
