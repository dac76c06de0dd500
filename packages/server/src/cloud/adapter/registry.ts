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
import { ask, CloudRefusal } from './answer.ts'

/** An image that is in a repository. */
export type ImageInRegistry = { digest: string; sizeBytes: number }

/** The image that has a tag or a digest; undefined where the repository has none, or is not there. */
export async function findImage(
  ecr: ECRClient,
  repositoryName: string,
  id: { imageTag: string } | { imageDigest: string },
): Promise<ImageInRegistry | undefined> {
  const described = await unless(['ImageNotFoundException', 'RepositoryNotFoundException'], () =>
    ecr.send(new DescribeImagesCommand({ repositoryName, imageIds: [id] })),
  )
  const [image] = described?.imageDetails ?? []
  if (image?.imageDigest === undefined) return undefined
  return { digest: image.imageDigest, sizeBytes: image.imageSizeInBytes ?? 0 }
}

/** The digest of the image that a tag stands for now; undefined where it is in another region, or not there. */
export async function digestOfTag(
  ecr: ECRClient,
  { accountNumber: registryId, region, repository: repositoryName, tag: imageTag }: RegistryPlace & { tag: string },
): Promise<string | undefined> {
  if ((await ecr.config.region()) !== region) return undefined
  const command = new DescribeImagesCommand({ registryId, repositoryName, imageIds: [{ imageTag }] })
  return (await ask(() => ecr.send(command))).imageDetails?.[0]?.imageDigest
}

/** The ARN of a repository, which is made where there is none: nobody can move a tag in it. */
export async function expectRepository(ecr: ECRClient, repositoryName: string): Promise<string | undefined> {
  const describe = new DescribeRepositoriesCommand({ repositoryNames: [repositoryName] })
  const found = await unless(['RepositoryNotFoundException'], () => ecr.send(describe))
  if (found) return found.repositories?.[0]?.repositoryArn
  const create = new CreateRepositoryCommand({ repositoryName, imageTagMutability: 'IMMUTABLE' })
  const made = await unless(['RepositoryAlreadyExistsException'], () => ecr.send(create))
  // Another build may have made it at the same moment.
  return made ? made.repository?.repositoryArn : expectRepository(ecr, repositoryName)
}

/** How images are pushed to the account's registry for the next 12 hours. */
export type RegistryAccess = { endpoint: string; username: string; password: string }

export async function registryAccess(ecr: ECRClient): Promise<RegistryAccess> {
  const { authorizationData = [] } = await ask(() => ecr.send(new GetAuthorizationTokenCommand({})))
  const { authorizationToken = '', proxyEndpoint: endpoint = '' } = authorizationData[0] ?? {}
  const [username = '', password = ''] = Buffer.from(authorizationToken, 'base64').toString().split(':')
  return { endpoint, username, password }
}

/** The cloud takes so many in one request. */
const mostDeleted = 100

/**
 * Deletes an image by its digest, with all of its tags and what was attached to it; what is gone already is as good.
 * `beforeSend` is called before each request that deletes something.
 */
export async function deleteImage(
  ecr: ECRClient,
  repositoryName: string,
  imageDigest: string,
  beforeSend: () => void,
): Promise<void> {
  const attached = await referrersOf(ecr, repositoryName, imageDigest)
  // The image goes last: what is attached to it is found by it.
  const digests = [...attached, imageDigest]
  for (let from = 0; from < digests.length; from += mostDeleted) {
    const imageIds = digests.slice(from, from + mostDeleted).map((one) => ({ imageDigest: one }))
    beforeSend()
    const command = new BatchDeleteImageCommand({ repositoryName, imageIds })
    const answer = await unless(['RepositoryNotFoundException'], () => ecr.send(command))
    // The answer is a success also where single images could not be deleted.
    const [failed] = answer?.failures?.filter(({ failureCode }) => failureCode !== 'ImageNotFound') ?? []
    if (failed) throw new CloudRefusal(failed.failureCode ?? 'Unknown', failed.failureReason ?? `${failed.failureCode}`)
  }
}

/** The digests of what refers to an image, such as its provenance. */
async function referrersOf(ecr: ECRClient, repositoryName: string, imageDigest: string): Promise<string[]> {
  const found: string[] = []
  for (let nextToken: string | undefined; ; ) {
    const list = new ListImageReferrersCommand({ repositoryName, subjectId: { imageDigest }, nextToken })
    const page = await unless(['RepositoryNotFoundException', 'ImageNotFoundException'], () => ecr.send(list))
    found.push(...(page?.referrers ?? []).flatMap(({ digest }) => digest ?? []))
    nextToken = page?.nextToken
    if (nextToken === undefined) return found
  }
}

/** Undefined where the cloud refuses for one of these reasons. */
async function unless<T>(reasons: readonly string[], call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask(call)
  } catch (error) {
    if (error instanceof CloudRefusal && reasons.includes(error.reason)) return undefined
    throw error
  }
}
