import { type ModuleInstanceTask, releaseMarksOf, versionOf } from '@sluice/contract'
import type { RunningUnit } from '../../cloud/facts/running.ts'
import { present } from '../../platform/present.ts'
import type { latestSuccess, TaskPlace } from './target.ts'

/** Returns the cloud's ids of the deployments that started these tasks. */
export const namesIn = (place: TaskPlace, all: readonly RunningUnit[]): string[] =>
  all.flatMap((one) => nameOf(place, one) ?? [])

const nameOf = (place: TaskPlace, { id, externalDeploymentId }: RunningUnit): string | undefined =>
  place.type === 'cloud:lambda' ? `${place.functionArn}:${id}` : externalDeploymentId

type Known = {
  place: TaskPlace
  /** Ids of deployments, by the cloud's ids. */
  brought: ReadonlyMap<string, string>
  /** Latest release of a group, which instances that start later also run. */
  current: Awaited<ReturnType<typeof latestSuccess>>
}

/** Returns the API representation of a task. */
export function serializeTask(running: RunningUnit, { place, brought, current }: Known): ModuleInstanceTask {
  const { externalDeploymentId: _, image, since, until, ...seen } = running
  return present({
    ...seen,
    version: versionOfRunning(running, current),
    deploymentId: brought.get(nameOf(place, running) ?? '') ?? current?.id,
    since: since?.toISOString(),
    until: until?.toISOString(),
  })
}

function versionOfRunning({ kind, id, image }: RunningUnit, current: Known['current']): string | undefined {
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
