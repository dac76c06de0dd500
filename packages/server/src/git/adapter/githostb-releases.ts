import Type from 'typebox'
import type { Ask } from './ask.ts'
import type { PageOfB } from './githostb-pages.ts'
import type { ReleaseState, RepositoryReleases } from './host.ts'

interface Parts {
  /** Where the project is. */
  at: string
  ours: Ask
  pageOf: PageOfB
}

/** Releases at the second host, which calls them deployments: docs.gitlab.com/api/deployments. */
export function createReleasesAtB({ at, ours, pageOf }: Parts): RepositoryReleases {
  return {
    // The host keeps nothing of ours: it is one of this commit there, made since then, and not by a job of the host.
    async findReleases({ commit, environment }, since) {
      const query = new URLSearchParams({ environment, order_by: 'id', sort: 'desc' })
      const { items } = await pageOf(Deployment, `/deployments?${query}`, 1)
      const from = since.getTime() - mostSkewMs
      const mayBe = items.filter(
        ({ sha, deployable, created_at }) => sha === commit && !deployable && Date.parse(created_at) >= from,
      )
      return mayBe.map((one) => String(one.id)).toReversed()
    },

    async createRelease({ commit, environment }) {
      // The commit for the ref as well: the branch may be gone, and the host takes any name of a commit that is there.
      const body = { environment, sha: commit, ref: commit, tag: false, status: 'running' }
      return String((await ours(Made, { method: 'POST', url: `${at}/deployments`, body })).body.id)
    },

    async setReleaseStatus(id, { state, isTransient }) {
      const url = `${at}/deployments/${encodeURIComponent(id)}`
      const { status: present, environment } = (await ours(Made, { url })).body
      const status = statusAtB[state]
      // It refuses to be told what it knows.
      if (present !== status) await ours(Type.Unknown(), { method: 'PUT', url, body: { status } })
      if (state === 'replaced' && isTransient) await stopIfLast(environment.id, id)
    },
  }

  /** An environment goes on at the host until it is stopped; it stays where a later release took this one's place. */
  async function stopIfLast(environmentId: number, releaseId: string): Promise<void> {
    const url = `${at}/environments/${environmentId}`
    const { state, last_deployment: last } = (await ours(Environment, { url })).body
    if (state === 'available' && String(last?.id) === releaseId)
      await ours(Type.Unknown(), { method: 'POST', url: `${url}/stop` })
  }
}

/** As far as the clock of a host may be behind ours. Milliseconds. */
const mostSkewMs = 5 * 60_000

/** Which one is the latest of an environment, the host finds out by itself. */
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
/** docs.gitlab.com/api/environments */
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
