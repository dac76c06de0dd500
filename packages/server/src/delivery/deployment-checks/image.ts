import type { CloudClients } from '../../cloud/adapter/access.ts'
import { readImage } from '../../cloud/adapter/image-reading.ts'
import { registryPlace } from '../../cloud/facts/images.ts'
import type { ImageReading } from '../../cloud/facts/release-parts.ts'
import { type Fact, readFact } from './facts.ts'
import { type CheckResult, checkFact, type Finding } from './findings.ts'

/** Image that a release uses. */
export type NamedImage = {
  image: string
  path: string
  region: string
  /** CPU architecture that it must support, as image configurations name it; undefined if unknown. */
  architecture?: string | undefined
  /** Remedy for a wrong architecture besides building the image for it. */
  alternative?: string
}

const permissions = 'ecr:BatchGetImage and ecr:GetDownloadUrlForLayer'

/** Checks that an image exists and runs on a CPU architecture. */
export async function checkImage({ images }: Pick<CloudClients, 'images'>, named: NamedImage): Promise<CheckResult> {
  const { image, path, region } = named
  const place = placeOf(image, region)
  const fact: Fact<ImageReading> = place
    ? await readFact(permissions, () => readImage(images, place))
    : { unread: { reason: `It is not in an Amazon ECR registry of the region ${region}.` } }
  const about = { code: 'IMAGE_MISSING', subject: `the image ${image}`, path } as const
  return checkFact(about, fact, (reading) => findingsOf(named, reading))
}

/** Parses references such as `shop/web`, `shop/web:2` and `shop/web:2@sha256:…`. */
function placeOf(image: string, region: string) {
  const [, address = '', imageTag = 'latest', imageDigest] = /^([^@]+?)(?::([^:/@]+))?(?:@(.+))?$/.exec(image) ?? []
  const place = registryPlace(address)
  if (place?.region !== region) return undefined
  const { accountNumber: registryId, repository: repositoryName } = place
  return { registryId, repositoryName, imageId: imageDigest === undefined ? { imageTag } : { imageDigest } }
}

function findingsOf({ image, path, architecture, alternative }: NamedImage, reading: ImageReading): Finding[] {
  if ('isMissing' in reading) return [missingImage(image, reading.mayBeFetched, path)]
  const { architectures } = reading
  if (architecture === undefined || architectures.length === 0 || architectures.includes(architecture)) return []
  const instead = alternative === undefined ? '' : `, or ${alternative}`
  return [
    {
      severity: 'ERROR',
      code: 'IMAGE_ARCHITECTURE_WRONG',
      path,
      message: `The image ${image} is for ${architectures.join(' and ')}, but it would run on ${architecture}.`,
      remedy: `Build the image for ${architecture}${instead}.`,
    },
  ]
}

/** Returns the finding for a missing image. A pull-through cache fetches a missing image when it is pulled. */
function missingImage(image: string, mayBeFetched: boolean | undefined, path: string): Finding {
  const missing = { code: 'IMAGE_MISSING', path, remedy: 'Push the image, or release one that exists.' } as const
  const message = `The image ${image} does not exist in its registry.`
  if (mayBeFetched === false) return { ...missing, severity: 'ERROR', message }
  const why = mayBeFetched
    ? 'A pull-through cache rule covers it, so the registry may fetch it when it is pulled.'
    : 'Sluice could not read whether a pull-through cache rule covers it (ecr:DescribePullThroughCacheRules).'
  return { ...missing, severity: 'WARNING', message: `${message} ${why}` }
}
