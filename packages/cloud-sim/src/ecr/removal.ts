import type {
  BatchDeleteImageRequest,
  ImageFailure,
  ImageIdentifier,
  ImageReferrer,
  ListImageReferrersRequest,
} from '@aws-sdk/client-ecr'
import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { PendingResult } from '../operation.ts'
import type { World } from '../world.ts'
import { matchesIdentifier } from './images.ts'
import { deletePushed, endpointOf, referrersPushed } from './registry.ts'
import { findRepository } from './repositories.ts'
import { ecr, type Repository } from './state.ts'

/** Deletes images. By digest, an image is deleted with all tags; by one of several tags, only that tag. */
export function batchDeleteImage(world: World, caller: Caller, input: BatchDeleteImageRequest): object {
  const { imageIds = [] } = input
  const { name } = findRepository(world, caller, input)
  const endpoint = endpointOf(world)
  const digests = imageIds.flatMap(({ imageDigest }) => imageDigest ?? [])
  if (endpoint === undefined || digests.length === 0) return deleted(world, caller, input, new Set())
  const gone = new Set<string>()
  const remove = async () => {
    for (const digest of digests) if (await deletePushed(endpoint, name, digest)) gone.add(digest)
  }
  return new PendingResult(remove(), () => deleted(world, caller, input, gone))
}

/** Removes deleted images from the state. `gone` contains images deleted from the registry process. */
function deleted(world: World, caller: Caller, input: BatchDeleteImageRequest, gone: ReadonlySet<string>): object {
  let repository: Repository = findRepository(world, caller, input)
  const imageIds: ImageIdentifier[] = []
  const failures: ImageFailure[] = []
  for (const id of input.imageIds ?? []) {
    const image = repository.images.find(matchesIdentifier(id))
    if (!image) {
      if (id.imageDigest !== undefined && gone.has(id.imageDigest)) imageIds.push(id)
      else failures.push({ imageId: id, failureCode: 'ImageNotFound', failureReason: 'Requested image not found' })
      continue
    }
    const left = id.imageDigest === undefined ? image.tags.filter((tag) => tag !== id.imageTag) : []
    const tags = left.length > 0 ? [id.imageTag] : image.tags
    imageIds.push(
      ...(tags.length > 0
        ? tags.flatMap((imageTag) => (imageTag === undefined ? [] : { imageDigest: image.digest, imageTag }))
        : [{ imageDigest: image.digest }]),
    )
    const others = repository.images.filter((one) => one !== image)
    repository = { ...repository, images: left.length > 0 ? [...others, { ...image, tags: left }] : others }
  }
  ecr(world).repositories.save(repository)
  return { imageIds, failures }
}

/** Lists an image's referrers in the registry process. Declared images have none. */
export function listImageReferrers(world: World, caller: Caller, input: ListImageReferrersRequest): object {
  const { name } = findRepository(world, caller, input)
  const { imageDigest = '' } = input.subjectId ?? {}
  if (!/^sha256:[0-9a-f]{64}$/.test(imageDigest)) {
    throw new CloudError('InvalidParameterException', `Invalid parameter at 'subjectId': '${imageDigest}' is no digest`)
  }
  const endpoint = endpointOf(world)
  if (endpoint === undefined) return { referrers: [] }
  let referrers: ImageReferrer[] = []
  const look = async () => {
    referrers = await referrersPushed(endpoint, name, imageDigest)
  }
  return new PendingResult(look(), () => ({ referrers }))
}
