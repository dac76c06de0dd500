import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { DescribeImagesCommand } from '@aws-sdk/client-ecr'
import type { ContainerDefinition } from '@aws-sdk/client-ecs'
import type { TaskDefinitionRecord } from '@sluice/contract'
import type { MissingParts } from '../../facts/ecs.ts'
import { registryPlace } from '../../facts/images.ts'
import type { CloudClients } from '../access.ts'
import { CloudPermanentError, callCloud } from '../cloud-call.ts'

/**
 * Returns the images and log groups of a recorded task definition that no longer exist. Those that the role may not
 * read, and images of other registries and regions, count as existing.
 */
export async function findMissingParts(
  { images, logs }: Pick<CloudClients, 'images' | 'logs'>,
  { definition }: TaskDefinitionRecord,
  { region, now }: { region: string; now: Date },
): Promise<MissingParts> {
  const containers = (definition.containerDefinitions ?? []) as ContainerDefinition[]
  const startTime = now.getTime()
  return {
    images: await missingOf(
      containers.map(({ image = '' }) => image),
      (image) => {
        const command = imageIn(image, region)
        return command && images.send(command)
      },
    ),
    logGroups: await missingOf(
      containers.map((container) => logGroupOf(container, region) ?? ''),
      (logGroupName) => logs.send(new FilterLogEventsCommand({ logGroupName, startTime, limit: 1 })),
    ),
  }
}

/** Returns the names that the cloud reports as missing. */
async function missingOf(names: string[], read: (name: string) => Promise<unknown> | undefined): Promise<string[]> {
  const missing: string[] = []
  for (const name of new Set(names)) {
    if (name !== '' && !(await exists(async () => read(name)))) missing.push(name)
  }
  return missing
}

async function exists(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await callCloud(read)
    return true
  } catch (error) {
    if (error instanceof CloudPermanentError)
      return !/^(Image|Repository|Resource)NotFoundException$/.test(error.reason)
    throw error
  }
}

/** Returns the request that describes the image, or undefined for an image outside this region's registries. */
function imageIn(image: string, region: string): DescribeImagesCommand | undefined {
  const [, address = '', imageTag = 'latest', imageDigest] = /^([^@]+?)(?::([^:/@]+))?(?:@(.+))?$/.exec(image) ?? []
  const place = registryPlace(address)
  if (place?.region !== region) return undefined
  const { accountNumber: registryId, repository: repositoryName } = place
  return new DescribeImagesCommand({
    registryId,
    repositoryName,
    imageIds: [imageDigest === undefined ? { imageTag } : { imageDigest }],
  })
}

/** Returns the container's log group, or undefined if it logs elsewhere or creates the group itself. */
function logGroupOf({ logConfiguration }: ContainerDefinition, region: string): string | undefined {
  const { logDriver, options = {} } = logConfiguration ?? {}
  const isRequired = logDriver === 'awslogs' && options['awslogs-create-group'] !== 'true'
  return isRequired && options['awslogs-region'] === region ? options['awslogs-group'] : undefined
}
