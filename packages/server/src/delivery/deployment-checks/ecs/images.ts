import type { CloudClients } from '../../../cloud/adapter/access.ts'
import { type CheckResult, combined, passed } from '../findings.ts'
import { checkImage } from '../image.ts'
import { containerPath, type TaskDefinition } from './task-definition.ts'

const alternative = 'set runtime_platform.cpu_architecture of the task definition'

/** Checks that each image of a task definition exists and runs on the CPU architecture of its tasks. */
export async function checkImages(
  clients: Pick<CloudClients, 'images'>,
  definition: TaskDefinition,
  { region, isFargate }: { region: string; isFargate: boolean },
): Promise<CheckResult> {
  const architecture = architectureOf(definition, isFargate)
  const checks = (definition.containerDefinitions ?? []).map(({ image }, index) => {
    const path = containerPath(index, 'image')
    return image === undefined ? passed : checkImage(clients, { image, path, region, architecture, alternative })
  })
  return combined(await Promise.all(checks))
}

/**
 * Returns the architecture as image configurations name it; undefined if it depends on the instances of the cluster.
 */
function architectureOf({ runtimePlatform, requiresCompatibilities = [] }: TaskDefinition, isFargate: boolean) {
  const { cpuArchitecture } = runtimePlatform ?? {}
  if (cpuArchitecture === 'ARM64') return 'arm64'
  const isX86 = cpuArchitecture === 'X86_64' || isFargate || requiresCompatibilities.includes('FARGATE')
  return isX86 ? 'amd64' : undefined
}
