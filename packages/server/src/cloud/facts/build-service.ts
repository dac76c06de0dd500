import type { ExecutionNetwork } from '@sluice/contract'
import type { RunnerPlace } from './runner-tasks.ts'

/** All that builds of one execution environment have in common. */
export type BuildKind = {
  place: RunnerPlace
  environmentId: string
  image: string
  network: ExecutionNetwork
}

/** A build that carries out one attempt of a step. */
export type BuildRequest = {
  projectName: string
  computeType: ComputeType
  /** By which the build is found again; sent twice, it starts one build. */
  name: string
  /** What only this build is told. */
  env: Record<string, string>
}

/** What the build service has machines of, with their processors ("Build environment compute", read 2026-11). */
const computeTypes = [
  { name: 'small', type: 'BUILD_GENERAL1_SMALL', processors: 2 },
  { name: 'medium', type: 'BUILD_GENERAL1_MEDIUM', processors: 4 },
  { name: 'large', type: 'BUILD_GENERAL1_LARGE', processors: 8 },
  { name: 'xlarge', type: 'BUILD_GENERAL1_XLARGE', processors: 36 },
  { name: '2xlarge', type: 'BUILD_GENERAL1_2XLARGE', processors: 72 },
] as const

export type ComputeType = (typeof computeTypes)[number]['type']

/** What a build is given that asks for nothing: enough for an image, and the cheapest. */
export const usualComputeType: ComputeType = 'BUILD_GENERAL1_SMALL'

/** Those of instances that are smaller than a multiple of `xlarge`; the smallest have as many at times. */
const smallInstances = ['nano', 'micro', 'small', 'medium', 'large']
/** Of an instance of the size `xlarge` ("Instance types", read 2026-11). */
const processorsOfXlarge = 4

/**
 * The machine for a size, by the service's own name of it or by the size of an instance, such as `m7i.2xlarge`, which
 * gets at least as many processors. Undefined where there is none.
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

/** What the templates of the documentation call what they make for builds, and what is made with it. */
export function buildNamesIn({ roleArn, region, clusterName }: RunnerPlace, environmentId: string) {
  const [, partition = 'aws', , , accountNumber = ''] = roleArn.split(':')
  return {
    projectName: `${clusterName}-${environmentId}`,
    serviceRoleArn: `arn:${partition}:iam::${accountNumber}:role/${clusterName}-build-${region}`,
    streamName,
  }
}

/** The stream that a build writes to: its ARN ends with `PROJECT:UUID`. */
export const logStreamOf = (buildArn: string): string => `${streamName}/${buildArn.split(':').at(-1)}`
