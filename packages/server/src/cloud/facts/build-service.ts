import type { ExecutionNetwork } from '@sluice/contract'
import type { RunnerPlace } from './runner-tasks.ts'

/** Settings that all builds of an execution environment share. */
export type BuildKind = {
  place: RunnerPlace
  environmentId: string
  image: string
  network: ExecutionNetwork
}

/** Build that executes one step attempt. */
export type BuildRequest = {
  projectName: string
  computeType: ComputeType
  /** Identifies the build. Two requests with the same name start one build. */
  name: string
  /** Environment variables of this build. */
  env: Record<string, string>
}

/** CodeBuild's compute types with their vCPUs ("Build environment compute", read 2026-11). */
const computeTypes = [
  { name: 'small', type: 'BUILD_GENERAL1_SMALL', processors: 2 },
  { name: 'medium', type: 'BUILD_GENERAL1_MEDIUM', processors: 4 },
  { name: 'large', type: 'BUILD_GENERAL1_LARGE', processors: 8 },
  { name: 'xlarge', type: 'BUILD_GENERAL1_XLARGE', processors: 36 },
  { name: '2xlarge', type: 'BUILD_GENERAL1_2XLARGE', processors: 72 },
] as const

export type ComputeType = (typeof computeTypes)[number]['type']

/** Default compute type: large enough for an image build, and the cheapest. */
export const defaultComputeType: ComputeType = 'BUILD_GENERAL1_SMALL'

/** EC2 instance sizes below `xlarge`, which the smallest compute type covers. */
const smallInstances = ['nano', 'micro', 'small', 'medium', 'large']
/** vCPUs of an `xlarge` instance ("Instance types", read 2026-11). */
const processorsOfXlarge = 4

/**
 * Returns the compute type for a size: CodeBuild's own name, or an EC2 instance type such as `m7i.2xlarge`, for which
 * it has at least as many vCPUs. Undefined if none is large enough.
 */
export function computeTypeOf(size: string): ComputeType | undefined {
  const own = computeTypes.find(({ name, type }) => size === name || size === type)
  if (own) return own.type
  const processors = processorsOfInstance(size)
  if (processors === undefined) return undefined
  return computeTypes.find((one) => one.processors >= processors)?.type
}

function processorsOfInstance(size: string): number | undefined {
  const [, name = ''] = /^[a-z][a-z0-9-]*\.([a-z0-9]+)$/.exec(size) ?? []
  if (smallInstances.includes(name)) return 2
  const [, times] = /^(\d{0,2})xlarge$/.exec(name) ?? []
  return times === undefined ? undefined : Number(times || 1) * processorsOfXlarge
}

export const noSuchSize = (size: string): string =>
  `The build service has no machine of the size ${size}: build.infrastructure.instance_size takes ${computeTypes
    .map(({ name }) => name)
    .join(', ')}, or the size of an instance, such as m7i.large.`

const streamName = 'build'

/** Returns the names of the resources for builds, as the documented templates name them. */
export function buildNamesIn({ roleArn, region, clusterName }: RunnerPlace, environmentId: string) {
  const [, partition = 'aws', , , accountNumber = ''] = roleArn.split(':')
  return {
    projectName: `${clusterName}-${environmentId}`,
    serviceRoleArn: `arn:${partition}:iam::${accountNumber}:role/${clusterName}-build-${region}`,
    streamName,
  }
}

/** Returns the log stream of a build, whose ARN ends with `PROJECT:UUID`. */
export const logStreamOf = (buildArn: string): string => `${streamName}/${buildArn.split(':').at(-1)}`
