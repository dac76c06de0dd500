import type { DescribeImagesRequest, ImageDetail, ImageIdentifier } from '@aws-sdk/client-ecr'
import { placeOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { seconds, type Wire } from '../wire/json.ts'
import type { World } from '../world.ts'
import { page } from './pages.ts'
import { findRepository } from './repositories.ts'
import type { Image, Repository } from './state.ts'

export function describeImages(world: World, caller: Caller, input: DescribeImagesRequest) {
  const { repositoryName, registryId, imageIds, filter: { tagStatus = 'ANY' } = {} } = input
  const repository = findRepository(world, caller, { repositoryName, registryId })
  const found = imageIds ? imageIds.map((id) => findImage(repository, id)) : repository.images
  const isWanted = ({ tags }: Image) => tagStatus === 'ANY' || tags.length > 0 === (tagStatus === 'TAGGED')
  const { items, nextToken } = page(found.filter(isWanted), ({ digest }) => digest, imageIds, input)
  return { imageDetails: items.map((image) => shown(repository, image)), nextToken }
}

function findImage({ images, name, scope }: Repository, { imageDigest, imageTag }: ImageIdentifier): Image {
  const found = images.find(
    ({ digest, tags }) =>
      (imageDigest === undefined || imageDigest === digest) && (imageTag === undefined || tags.includes(imageTag)),
  )
  if (found) return found
  const id = `{imageDigest:'${imageDigest ?? null}', imageTag:'${imageTag ?? null}'}`
  throw new CloudError(
    'ImageNotFoundException',
    `The image with imageId ${id} does not exist within the repository with name '${name}' in the registry with id '${placeOf(scope).account}'`,
  )
}

const shown = ({ name, scope }: Repository, { digest, tags, pushedAt, bytes }: Image): Wire<ImageDetail> => ({
  registryId: placeOf(scope).account,
  repositoryName: name,
  imageDigest: digest,
  ...(tags.length > 0 && { imageTags: tags }),
  imageSizeInBytes: bytes,
  imagePushedAt: seconds(pushedAt),
  imageManifestMediaType: 'application/vnd.docker.distribution.manifest.v2+json',
  artifactMediaType: 'application/vnd.docker.container.image.v1+json',
})
