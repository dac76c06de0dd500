import type { ReleaseFacts, ReleaseState, ReleaseStatus } from '../../git/adapter/host.ts'
import { oneLine } from '../git-feedback/texts.ts'
import type { UnreportedRelease } from './store.ts'
import type { GitReleaseRow, ReportedStatus } from './tables.ts'

const textsByStatus = {
  PENDING: { state: 'running', said: 'Waits for its turn' },
  IN_PROGRESS: { state: 'running', said: 'Is being released' },
  ROLLING_BACK: { state: 'running', said: 'Is being rolled back' },
  SUCCESS: { state: 'success', said: 'Succeeded' },
  ERROR: { state: 'failure', said: 'Failed' },
  ROLLED_BACK: { state: 'failure', said: 'Was rolled back' },
  CANCELLED: { state: 'cancelled', said: 'Was cancelled' },
  REPLACED: { state: 'replaced', said: 'Runs no more' },
} as const satisfies Record<ReportedStatus, { state: ReleaseState; said: string }>

/** Returns the status to report for a release. */
export const wantedStatus = ({ row, deployment }: Pick<UnreportedRelease, 'row' | 'deployment'>): ReportedStatus =>
  row.isReplaced ? 'REPLACED' : deployment.status

/**
 * Reports whether a release is reported at all. A release that never started did not affect the environment. A release
 * that was replaced before it was recorded would appear after its successor.
 */
export const mustReport = ({ row, deployment }: Pick<UnreportedRelease, 'row' | 'deployment'>): boolean =>
  deployment.startedAt !== null && (row.hostId !== null || !row.isReplaced)

/** Returns the properties with which the host's record of a release is created. */
export const factsOf = (
  { row, deployment, environment, project, instance }: UnreportedRelease,
  commit: NonNullable<GitReleaseRow['commit']>,
): ReleaseFacts => ({
  id: row.id,
  commit,
  what: `${project.givenId}/${instance.givenId}`,
  environment: environmentNameOf(environment),
  isTransient: isTransient(environment),
  description: oneLine(`${instance.name}: ${deployment.description}`),
})

const isTransient = ({ previewEnvironmentId }: UnreportedRelease['environment']): boolean =>
  previewEnvironmentId !== null

/** Returns the state of a release for the host. */
export function statusOf({ row, deployment, environment }: UnreportedRelease, url: string): ReleaseStatus {
  const wanted = wantedStatus({ row, deployment })
  const { state, said } = textsByStatus[wanted]
  const reason = wanted === 'ERROR' || wanted === 'ROLLED_BACK' ? deployment.error?.message : undefined
  const description = oneLine(reason === undefined ? said : `${said}: ${reason}`)
  return { state, isTransient: isTransient(environment), description, url }
}

/** Matches environment names that both hosts accept; the second one is stricter (docs.gitlab.com/ci/environments). */
const anEnvironment = /^(?!\/)[\w/${}. -]{1,255}(?<!\/)$/

const environmentNameOf = ({ name, givenId }: UnreportedRelease['environment']): string =>
  anEnvironment.test(name) ? name : givenId
