import {
  BatchDeleteImageCommand,
  CreateRepositoryCommand,
  DescribeImagesCommand,
  DescribeRepositoriesCommand,
  type ECRClient,
  GetAuthorizationTokenCommand,
  ListImageReferrersCommand,
} from '@aws-sdk/client-ecr'
import type { RegistryPlace } from '../facts/images.ts'
import { CloudPermanentError, callCloud } from './cloud-call.ts'

/** Container image in a repository, with its digest and size. */
export type ImageInRegistry = { digest: string; sizeBytes: number }

/** Returns the image with a tag or digest, or undefined if the image or repository does not exist. */
export async function findImage(
  ecr: ECRClient,
  repositoryName: string,
  id: { imageTag: string } | { imageDigest: string },
): Promise<ImageInRegistry | undefined> {
  const described = await undefinedOn(['ImageNotFoundException', 'RepositoryNotFoundException'], () =>
    ecr.send(new DescribeImagesCommand({ repositoryName, imageIds: [id] })),
  )
  const [image] = described?.imageDetails ?? []
  if (image?.imageDigest === undefined) return undefined
  return { digest: image.imageDigest, sizeBytes: image.imageSizeInBytes ?? 0 }
}

/** Returns the digest that a tag points to, or undefined if the image is in another region or does not exist. */
export async function digestOfTag(
  ecr: ECRClient,
  { accountNumber: registryId, region, repository: repositoryName, tag: imageTag }: RegistryPlace & { tag: string },
): Promise<string | undefined> {
  if ((await ecr.config.region()) !== region) return undefined
  const command = new DescribeImagesCommand({ registryId, repositoryName, imageIds: [{ imageTag }] })
  return (await callCloud(() => ecr.send(command))).imageDetails?.[0]?.imageDigest
}

/** Returns the ARN of a repository, creating it with immutable tags if it does not exist. */
export async function ensureRepository(ecr: ECRClient, repositoryName: string): Promise<string | undefined> {
  const describe = new DescribeRepositoriesCommand({ repositoryNames: [repositoryName] })
  const found = await undefinedOn(['RepositoryNotFoundException'], () => ecr.send(describe))
  if (found) return found.repositories?.[0]?.repositoryArn
  const create = new CreateRepositoryCommand({ repositoryName, imageTagMutability: 'IMMUTABLE' })
  const made = await undefinedOn(['RepositoryAlreadyExistsException'], () => ecr.send(create))
  // A concurrent build may have created it.
  return made ? made.repository?.repositoryArn : ensureRepository(ecr, repositoryName)
}

/** Credentials for pushing images to the account's registry, valid for 12 hours. */
export type RegistryAccess = { endpoint: string; username: string; password: string }

export async function registryAccess(ecr: ECRClient): Promise<RegistryAccess> {
  const { authorizationData = [] } = await callCloud(() => ecr.send(new GetAuthorizationTokenCommand({})))
  const { authorizationToken = '', proxyEndpoint: endpoint = '' } = authorizationData[0] ?? {}
  const [username = '', password = ''] = Buffer.from(authorizationToken, 'base64').toString().split(':')
  return { endpoint, username, password }
}

/** Maximum number of images per delete request. */
const maxDeleted = 100

/**
 * Deletes an image by digest, with its tags and referrers. An image that no longer exists counts as deleted. Calls
 * `beforeSend` before each request that deletes something.
 */
export async function deleteImage(
  ecr: ECRClient,
  repositoryName: string,
  imageDigest: string,
  beforeSend: () => void,
): Promise<void> {
  const attached = await referrersOf(ecr, repositoryName, imageDigest)
  // The image is deleted last, because its referrers are found through it.
  const digests = [...attached, imageDigest]
  for (let from = 0; from < digests.length; from += maxDeleted) {
    const imageIds = digests.slice(from, from + maxDeleted).map((one) => ({ imageDigest: one }))
    beforeSend()
    const command = new BatchDeleteImageCommand({ repositoryName, imageIds })
    const answer = await undefinedOn(['RepositoryNotFoundException'], () => ecr.send(command))
    // The response is a success even if single images could not be deleted.
    const [failed] = answer?.failures?.filter(({ failureCode }) => failureCode !== 'ImageNotFound') ?? []
    if (failed)
      throw new CloudPermanentError(failed.failureCode ?? 'Unknown', failed.failureReason ?? `${failed.failureCode}`)
  }
}

/** Returns the digests of the artifacts that refer to an image, such as its provenance. */
async function referrersOf(ecr: ECRClient, repositoryName: string, imageDigest: string): Promise<string[]> {
  const found: string[] = []
  for (let nextToken: string | undefined; ; ) {
    const list = new ListImageReferrersCommand({ repositoryName, subjectId: { imageDigest }, nextToken })
    const page = await undefinedOn(['RepositoryNotFoundException', 'ImageNotFoundException'], () => ecr.send(list))
    found.push(...(page?.referrers ?? []).flatMap(({ digest }) => digest ?? []))
    nextToken = page?.nextToken
    if (nextToken === undefined) return found
  }
}

/** Calls the cloud, and returns undefined if it responds with one of these error codes. */
async function undefinedOn<T>(reasons: readonly string[], call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await callCloud(call)
  } catch (error) {
    if (error instanceof CloudPermanentError && reasons.includes(error.reason)) return undefined
    throw error
  }
}
