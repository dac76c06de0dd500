import { type ModuleInstanceTask, releaseMarksOf, versionOf } from '@sluice/contract'
import type { Running } from '../../cloud/facts/running.ts'
import { present } from '../../platform/present.ts'
import type { latestSuccess, TaskPlace } from './target.ts'

/** By what the cloud calls the deployments that brought these. */
export const namesIn = (place: TaskPlace, all: readonly Running[]): string[] =>
  all.flatMap((one) => nameOf(place, one) ?? [])

const nameOf = (place: TaskPlace, { id, externalDeploymentId }: Running): string | undefined =>
  place.type === 'cloud:lambda' ? `${place.functionArn}:${id}` : externalDeploymentId

type Known = {
  place: TaskPlace
  /** Ids of deployments, by what the cloud calls them. */
  brought: ReadonlyMap<string, string>
  /** What machines run: those that start later get the latest release, too. */
  current: Awaited<ReturnType<typeof latestSuccess>>
}

/** What runs, as it is shown. */
export function toWire(running: Running, { place, brought, current }: Known): ModuleInstanceTask {
  const { externalDeploymentId: _, image, since, until, ...seen } = running
  return present({
    ...seen,
    version: versionOfRunning(running, current),
    deploymentId: brought.get(nameOf(place, running) ?? '') ?? current?.id,
    since: since?.toISOString(),
    until: until?.toISOString(),
  })
}

function versionOfRunning({ kind, id, image }: Running, current: Known['current']): string | undefined {
  switch (kind) {
    case 'TASK':
      return image === undefined ? undefined : versionOf({ image })
    case 'MACHINE':
      return versionOf(releaseMarksOf(current?.data))
    case 'FUNCTION_VERSION':
    case 'DIRECTORY':
      return id
  }
}
