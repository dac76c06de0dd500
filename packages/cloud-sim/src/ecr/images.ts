import type { DescribeImagesRequest, ImageDetail, ImageIdentifier } from '@aws-sdk/client-ecr'
import { regionAndAccountOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { PendingResult } from '../operation.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { page } from './pages.ts'
import { endpointOf, pushedImage } from './registry.ts'
import { findRepository, uriOf } from './repositories.ts'
import { ecr, type Image, type Repository } from './state.ts'

export function describeImages(world: World, caller: Caller, input: DescribeImagesRequest): object {
  const { images, name } = findRepository(world, caller, input)
  const unknown = (input.imageIds ?? []).filter((id) => !images.some(matchesIdentifier(id)))
  const endpoint = endpointOf(world)
  if (endpoint === undefined || unknown.length === 0) return described(world, caller, input)
  let pushed: Image[] = []
  const look = async () => {
    const found = await Promise.all(unknown.map((id) => pushedImage(endpoint, name, id)))
    const pushedAt = world.clock.timestamp()
    pushed = found.flatMap((image) => (image ? [{ ...image, pushedAt }] : []))
  }
  return new PendingResult(look(), () => {
    takeIn(world, findRepository(world, caller, input), pushed)
    return described(world, caller, input)
  })
}

/** Adds pushed images to a repository. An image whose tags changed is the same image. */
function takeIn(world: World, repository: Repository, pushed: readonly Image[]): void {
  const images = new Map(repository.images.map((image) => [image.digest, image]))
  for (const image of pushed) {
    const { tags = [], ...known } = images.get(image.digest) ?? image
    images.set(image.digest, { ...image, ...known, tags: [...new Set([...tags, ...image.tags])] })
  }
  ecr(world).repositories.save({ ...repository, images: [...images.values()] })
}

function described(world: World, caller: Caller, input: DescribeImagesRequest) {
  const { imageIds, filter: { tagStatus = 'ANY' } = {} } = input
  const repository = findRepository(world, caller, input)
  const found = imageIds ? imageIds.map((id) => findImage(repository, id)) : repository.images
  const isWanted = ({ tags }: Image) => tagStatus === 'ANY' || tags.length > 0 === (tagStatus === 'TAGGED')
  const { items, nextToken } = page(found.filter(isWanted), ({ digest }) => digest, imageIds, input)
  return { imageDetails: items.map((image) => shown(repository, image)), nextToken }
}

/** Returns the digest of a tagged image in a known repository. */
export function digestInRepository(world: World, address: string): string | undefined {
  const [name = '', tag = 'latest'] = address.split(/:(?=[^/]*$)/)
  const found = [...ecr(world).repositories.all()].find((repository) => uriOf(repository) === name)
  return found?.images.find(matchesIdentifier({ imageTag: tag }))?.digest
}

export const matchesIdentifier =
  ({ imageDigest, imageTag }: ImageIdentifier) =>
  ({ digest, tags }: Image): boolean =>
    (imageDigest === undefined || imageDigest === digest) && (imageTag === undefined || tags.includes(imageTag))

function findImage({ images, name, scope }: Repository, { imageDigest, imageTag }: ImageIdentifier): Image {
  const found = images.find(matchesIdentifier({ imageDigest, imageTag }))
  if (found) return found
  const id = `{imageDigest:'${imageDigest ?? null}', imageTag:'${imageTag ?? null}'}`
  throw new CloudError(
    'ImageNotFoundException',
    `The image with imageId ${id} does not exist within the repository with name '${name}' in the registry with id '${regionAndAccountOf(scope).account}'`,
  )
}

const shown = ({ name, scope }: Repository, { digest, tags, pushedAt, bytes }: Image): Wire<ImageDetail> => ({
  registryId: regionAndAccountOf(scope).account,
  repositoryName: name,
  imageDigest: digest,
  ...(tags.length > 0 && { imageTags: tags }),
  imageSizeInBytes: bytes,
  imagePushedAt: seconds(pushedAt),
  imageManifestMediaType: 'application/vnd.docker.distribution.manifest.v2+json',
  artifactMediaType: 'application/vnd.docker.container.image.v1+json',
})
