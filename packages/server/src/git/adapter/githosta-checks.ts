import Type from 'typebox'
import type { Ask } from './ask.ts'
import { parseLinkHeader } from './githosta-pages.ts'
import type { CheckResult, CheckState, RepositoryChecks } from './host.ts'
import { allPages, ofPage } from './pages.ts'

interface Parts {
  /** URL of the repository in the API. */
  at: string
  ours: Ask
  /** Id of Sluice's app, because other apps may use the same names and external ids. */
  appId: string
}

/** Reports runs as GitHub check runs: docs.github.com/rest/checks/runs. */
export function createChecksAtA({ at, ours, appId }: Parts): RepositoryChecks {
  return {
    async findCheck({ id, commit, name }) {
      const query = new URLSearchParams({ check_name: name, filter: 'all' })
      const found = await allPages(async (page) => {
        const { headers, body } = await ours(Checks, {
          url: at + ofPage(`/commits/${encodeURIComponent(commit)}/check-runs?${query}`, page),
        })
        return { items: body.check_runs, ...parseLinkHeader(headers) }
      })
      const own = found.find(({ external_id, app }) => external_id === id && app && isOurs(app, appId))
      return own && String(own.id)
    },

    async createCheck({ id, commit, name }, standing) {
      const body = { name, head_sha: commit, external_id: id, ...shown(standing) }
      return String((await ours(Made, { method: 'POST', url: `${at}/check-runs`, body })).body.id)
    },

    async updateCheck(id, standing) {
      const url = `${at}/check-runs/${encodeURIComponent(id)}`
      await ours(Made, { method: 'PATCH', url, body: shown(standing) })
    },
  }
}

function shown({ state, title, summary, url: details_url, startedAt, completedAt }: CheckResult) {
  return {
    ...stateAtA[state],
    details_url,
    ...(startedAt && { started_at: startedAt.toISOString() }),
    ...('conclusion' in stateAtA[state] && completedAt && { completed_at: completedAt.toISOString() }),
    output: { title: title.slice(0, maxTitleLength), summary: summary.slice(0, maxSummaryLength) },
  }
}

const stateAtA = {
  queued: { status: 'queued' },
  running: { status: 'in_progress' },
  success: { status: 'completed', conclusion: 'success' },
  failure: { status: 'completed', conclusion: 'failure' },
  cancelled: { status: 'completed', conclusion: 'cancelled' },
} as const satisfies Record<CheckState, { status: string; conclusion?: string }>

/** Maximum title length, in characters. GitHub documents no limit of its own. */
const maxTitleLength = 255
/** GitHub's maximum length of a check run's summary, in characters. */
const maxSummaryLength = 65_535

/** Reports whether a check run belongs to Sluice's app, which is configured by number or client id. */
const isOurs = ({ id, client_id }: { id: number; client_id?: string }, appId: string): boolean =>
  String(id) === appId || client_id === appId

const Made = Type.Object({ id: Type.Integer() })
const Checks = Type.Object({
  check_runs: Type.Array(
    Type.Object({
      id: Type.Integer(),
      external_id: Type.Union([Type.String(), Type.Null()]),
      app: Type.Union([Type.Object({ id: Type.Integer(), client_id: Type.Optional(Type.String()) }), Type.Null()]),
    }),
  ),
})
