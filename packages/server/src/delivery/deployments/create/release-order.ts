import type { DeploymentRow } from '../store/tables.ts'

/** Columns of a deployment that identify its release and when that served traffic. */
export type PastDeployment = Pick<DeploymentRow, 'id' | 'deploymentType'> & {
  /** Id of the deployment whose release a redeployment or rollback repeats. */
  repeats: string | null
  /** When the deployment succeeded; null if it has not. */
  succeededAt: Date | null
  /**
   * Artifact that the deployment put in place. Set only if the instance has external deployments, whose releases are
   * identified by it.
   */
  artifact: string | null
  isExternal: boolean
}

/** Releases of an instance in the order in which they first served traffic. */
export type ReleaseOrder = {
  /** Deployment that serves production traffic: the last success. */
  live: PastDeployment | undefined
  successes: readonly PastDeployment[]
  /** Returns when the release of a deployment first succeeded, by whichever deployment; undefined if it never has. */
  firstSuccessOf(id: string): Date | undefined
}

/** Orders the releases of an instance. `history` has all of its deployments, oldest first. */
export function releaseOrder(history: readonly PastDeployment[]): ReleaseOrder {
  const origins = new Map<string, string>()
  const byArtifact = new Map<string, string>()
  const firstSuccess = new Map<string, Date>()
  for (const { id, repeats, succeededAt, artifact, isExternal } of history) {
    const same = isExternal && artifact !== null ? byArtifact.get(artifact) : undefined
    const source = repeats ?? same
    const origin = source === undefined ? id : (origins.get(source) ?? source)
    origins.set(id, origin)
    if (!succeededAt) continue
    const before = firstSuccess.get(origin)
    if (!before || succeededAt < before) firstSuccess.set(origin, succeededAt)
    if (artifact !== null && !byArtifact.has(artifact)) byArtifact.set(artifact, id)
  }
  const timeOf = ({ succeededAt }: PastDeployment) => succeededAt?.getTime() ?? 0
  const successes = history.filter(({ succeededAt }) => succeededAt).toSorted((a, b) => timeOf(b) - timeOf(a))
  return {
    live: successes[0],
    successes,
    firstSuccessOf: (id) => firstSuccess.get(origins.get(id) ?? id),
  }
}

/** Returns the deployment that serves traffic if the release of `id` is newer than its release. */
export function newerThan({ live, firstSuccessOf }: ReleaseOrder, id: string): PastDeployment | undefined {
  const [target, served] = [firstSuccessOf(id), live && firstSuccessOf(live.id)]
  return target && served && target > served ? live : undefined
}

/** Reports whether the release of `id` served traffic before the deployment `from` ended. */
export function wasLiveBefore(
  { firstSuccessOf }: ReleaseOrder,
  id: string,
  from: Pick<DeploymentRow, 'completedAt'>,
): boolean {
  const first = firstSuccessOf(id)
  return first !== undefined && (!from.completedAt || first < from.completedAt)
}
