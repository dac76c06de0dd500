import { DescribeImagesCommand, DescribeRepositoriesCommand, type ECRClient } from '@aws-sdk/client-ecr'
import { present } from '../../platform/present.ts'
import type { ObservedImage, ObservedRepository } from '../facts/images.ts'
import type { ObservedList } from '../facts/networks.ts'
import { readPages } from './pages.ts'

/** Maximum page size (API reference, read 2026-11). */
const maxResults = 1_000

/**
 * Maximum number of pages. ECR returns images unsorted, so finding the newest needs all of them; the default quota is
 * 20,000 per repository.
 */
const maxPages = 20

/** Maximum number of images offered in a form. */
const maxImages = 500

/** Lists the repositories of a region's registry. */
export async function readRepositories(ecr: ECRClient): Promise<ObservedList<ObservedRepository>> {
  const { all, isComplete } = await readPages(maxPages, async ({ NextToken }) => {
    const command = new DescribeRepositoriesCommand({ maxResults, ...present({ nextToken: NextToken }) })
    const { repositories, nextToken } = await ecr.send(command)
    return { items: repositories, next: nextToken }
  })
  const found = all.map(({ repositoryName: name = '', repositoryUri: address = '' }) => ({ name, address }))
  return { all: found.sort((a, b) => a.name.localeCompare(b.name)), isComplete }
}

/** Lists the newest tagged images of a repository. */
export async function readImages(ecr: ECRClient, repositoryName: string): Promise<ObservedList<ObservedImage>> {
  const { all, isComplete } = await readPages(maxPages, async ({ NextToken }) => {
    const page = { maxResults, ...present({ nextToken: NextToken }) }
    const filter = { tagStatus: 'TAGGED' } as const
    const { imageDetails, nextToken } = await ecr.send(new DescribeImagesCommand({ repositoryName, filter, ...page }))
    return { items: imageDetails, next: nextToken }
  })
  const found = all.map(
    ({ imageDigest: digest = '', imageTags: tags = [], imagePushedAt: pushedAt, imageSizeInBytes: bytes }) => ({
      digest,
      tags,
      ...present({ pushedAt, bytes }),
    }),
  )
  const newest = found.sort((a, b) => (b.pushedAt?.getTime() ?? 0) - (a.pushedAt?.getTime() ?? 0))
  return { all: newest.slice(0, maxImages), isComplete: isComplete && newest.length <= maxImages }
}
