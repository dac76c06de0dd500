import Type from 'typebox'
import type { Ask } from './ask.ts'
import type { PageOfA } from './githosta-pages.ts'
import type { ReleaseState, RepositoryReleases } from './host.ts'
import { allPages } from './pages.ts'

interface Parts {
  /** URL of the repository in the API. */
  at: string
  ours: Ask
  pageOf: PageOfA
}

/** Reports releases as GitHub deployments: docs.github.com/rest/deployments. */
export function createReleasesAtA({ at, ours, pageOf }: Parts): RepositoryReleases {
  return {
    async findReleases({ id, commit, what, environment }) {
      const query = new URLSearchParams({ sha: commit, task: taskOf(what), environment })
      const found = await allPages((page) => pageOf(Deployment, `/deployments?${query}`, page))
      // GitHub may return an object payload as a string.
      return found.filter(({ payload }) => JSON.stringify(payload).includes(id)).map((one) => String(one.id))
    },

    async createRelease({ id, commit, what, environment, isTransient, description }) {
      const body = {
        ref: commit,
        task: taskOf(what),
        environment,
        transient_environment: isTransient,
        description: description.slice(0, maxDescriptionLength),
        payload: { sluice_deployment_id: id },
        // The release is already in progress, so GitHub must neither merge nor wait for checks.
        auto_merge: false,
        required_contexts: [],
      }
      const { body: made } = await ours(Deployment, { method: 'POST', url: `${at}/deployments`, body })
      return String(made.id)
    },

    async setReleaseStatus(id, { state, description: said, url: log_url }) {
      const statuses = `${at}/deployments/${encodeURIComponent(id)}/statuses`
      const wanted = { state: stateAtA[state], description: said.slice(0, maxDescriptionLength) }
      const { body: known } = await ours(Type.Array(Status), { url: `${statuses}?per_page=100` })
      const last = known.toSorted((one, other) => one.id - other.id).at(-1)
      if (last?.state === wanted.state && last.description === wanted.description) return
      // A repository may deploy several things to one environment, so a new deployment must not deactivate the others.
      const body = { ...wanted, log_url, auto_inactive: false }
      await ours(Type.Unknown(), { method: 'POST', url: statuses, body })
    },
  }
}

const taskOf = (what: string) => `deploy:${what}`

/** GitHub's maximum length of a deployment's description, in characters. */
const maxDescriptionLength = 140

const stateAtA = {
  running: 'in_progress',
  success: 'success',
  failure: 'failure',
  cancelled: 'failure',
  replaced: 'inactive',
} as const satisfies Record<ReleaseState, string>

const Deployment = Type.Object({ id: Type.Integer(), payload: Type.Unknown() })
const Status = Type.Object({ id: Type.Integer(), state: Type.String(), description: Type.String() })
