import type { ReleaseFacts, ReleaseState, ReleaseStatus } from '../../git/adapter/host.ts'
import { oneLine } from '../git-feedback/words.ts'
import type { Untold } from './store.ts'
import type { GitReleaseRow, ToldStatus } from './tables.ts'

const words = {
  PENDING: { state: 'running', said: 'Waits for its turn' },
  IN_PROGRESS: { state: 'running', said: 'Is being released' },
  ROLLING_BACK: { state: 'running', said: 'Is being rolled back' },
  SUCCESS: { state: 'success', said: 'Succeeded' },
  ERROR: { state: 'failure', said: 'Failed' },
  ROLLED_BACK: { state: 'failure', said: 'Was rolled back' },
  CANCELLED: { state: 'cancelled', said: 'Was cancelled' },
  REPLACED: { state: 'replaced', said: 'Runs no more' },
} as const satisfies Record<ToldStatus, { state: ReleaseState; said: string }>

/** What is to be told of a release. */
export const wantedStatus = ({ row, deployment }: Pick<Untold, 'row' | 'deployment'>): ToldStatus =>
  row.isReplaced ? 'REPLACED' : deployment.status

/**
 * Whether the host is told at all. Of a release that never began nothing reached the environment; and one that was
 * replaced before the host made a record of it would come after the one that took its place.
 */
export const isToBeTold = ({ row, deployment }: Pick<Untold, 'row' | 'deployment'>): boolean =>
  deployment.startedAt !== null && (row.hostId !== null || !row.isReplaced)

/** A release as a host is told of it at first. */
export const factsOf = (
  { row, deployment, environment, project, instance }: Untold,
  commit: NonNullable<GitReleaseRow['commit']>,
): ReleaseFacts => ({
  id: row.id,
  commit,
  what: `${project.givenId}/${instance.givenId}`,
  environment: environmentNameOf(environment),
  isTransient: isTransient(environment),
  description: oneLine(`${instance.name}: ${deployment.description}`),
})

const isTransient = ({ previewEnvironmentId }: Untold['environment']): boolean => previewEnvironmentId !== null

/** How it stands. */
export function statusOf({ row, deployment, environment }: Untold, url: string): ReleaseStatus {
  const wanted = wantedStatus({ row, deployment })
  const { state, said } = words[wanted]
  const reason = wanted === 'ERROR' || wanted === 'ROLLED_BACK' ? deployment.error?.message : undefined
  const description = oneLine(reason === undefined ? said : `${said}: ${reason}`)
  return { state, isTransient: isTransient(environment), description, url }
}

/** What both hosts take as the name of an environment; the second is the stricter (docs.gitlab.com/ci/environments). */
const anEnvironment = /^(?!\/)[\w/${}. -]{1,255}(?<!\/)$/

const environmentNameOf = ({ name, givenId }: Untold['environment']): string =>
  anEnvironment.test(name) ? name : givenId
