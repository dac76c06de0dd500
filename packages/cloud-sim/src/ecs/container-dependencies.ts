import type { ContainerDefinition } from '@aws-sdk/client-ecs'
import { clientException } from '../errors.ts'

/** Checks that dependencies between containers exist, are possible and have no cycle. */
export function checkDependencies(containers: ContainerDefinition[]): void {
  const byName = new Map(containers.map((container) => [container.name ?? '', container]))
  for (const { name = '', dependsOn = [] } of containers) {
    for (const { containerName = '', condition = '' } of dependsOn) {
      const awaited = byName.get(containerName)
      if (!awaited) throw clientException(`Container '${name}' depends on '${containerName}', which is not defined.`)
      if ((condition === 'SUCCESS' || condition === 'COMPLETE') && awaited.essential !== false) {
        throw clientException(`The condition ${condition} cannot be set on the essential container '${containerName}'.`)
      }
      if (condition === 'HEALTHY' && !awaited.healthCheck) {
        throw clientException(`The condition HEALTHY needs a health check on container '${containerName}'.`)
      }
    }
  }
  for (const name of byName.keys()) {
    if (waitsFor(byName, name, name)) throw clientException(`Container '${name}' depends on itself in a circle.`)
  }
}

/** Reports whether a container depends on another, directly or indirectly. */
function waitsFor(
  byName: ReadonlyMap<string, ContainerDefinition>,
  from: string,
  name: string,
  seen = new Set<string>(),
): boolean {
  const next = (byName.get(from)?.dependsOn ?? []).map(({ containerName = '' }) => containerName)
  if (next.includes(name)) return true
  return next.some((one) => !seen.has(one) && waitsFor(byName, one, name, seen.add(one)))
}
