import type { Ec2DeploymentData, LambdaDeploymentData } from '@sluice/contract'
import { withoutDigest } from '../../cloud/facts/images.ts'
import { addressOf } from '../../cloud/facts/lambda.ts'
import type { Db } from '../../platform/db/open.ts'
import { findAtEnd, storedWithinMs } from '../deployment-resources/store.ts'
import { dataOf } from '../deployments/execution/state.ts'
import { imagesOf } from '../deployments/representation/images.ts'
import type { DeploymentRow } from '../deployments/store/tables.ts'
import type { StaticProgress } from '../deployments/types/static/progress.ts'
import type { StaticRelease } from '../deployments/types/static/release.ts'
import { agreedDigests, directoryOf, type ImagesThatRan, namedDigests } from './promoted-images.ts'

/**
 * Returns the images that a deployment ran: by the digests in their references, or otherwise as its tasks reported them
 * at its end.
 */
export async function imagesThatRan(db: Db, source: DeploymentRow): Promise<ImagesThatRan> {
  const data = dataOf(source.data)
  if (data.type === 'cloud:lambda') return codeThatRan(source, data)
  if (source.release.type === 'cloud:static') {
    // The type of the progress matches that of the release.
    return filesThatRan(source.release, source.progress as StaticProgress)
  }
  if (data.type === 'cloud:ec2') return imageThatRan(source, data)
  const images = imagesOf(source.release, data) ?? []
  const addresses = images.map(({ reference }) => withoutDigest(reference))
  const atEnd = await findAtEnd(db, source.organizationId, source.id)
  const seen = atEnd?.isComplete ? agreedDigests(atEnd.resources) : {}
  return { addresses, digests: { ...seen, ...namedDigests(images) }, whyUnknown: atEnd ? notAgreed : notLookedAt }
}

/**
 * Returns the code of a function's version, which never changes and whose hash the cloud reported when it was
 * published.
 */
function codeThatRan(
  { release }: DeploymentRow,
  { resolvedImageUri, codeSha256 }: LambdaDeploymentData,
): ImagesThatRan {
  const code = release.type === 'cloud:lambda' ? release.code : undefined
  if (code === undefined) return { addresses: [], digests: {}, whyUnknown: notPublished }
  const address = withoutDigest(addressOf(code))
  const digest = 'imageUri' in code ? resolvedImageUri?.split('@')[1] : codeSha256
  const digests = digest === undefined ? {} : { [address]: digest }
  return { addresses: [address], digests, whyUnknown: notPublished }
}

/** Returns the image of a group, by the digest that the cloud reported at the start of the deployment. */
function imageThatRan({ release, data }: DeploymentRow, { deployedRelease }: Ec2DeploymentData): ImagesThatRan {
  const images = imagesOf(release, dataOf(data)) ?? []
  const addresses = images.map(({ reference }) => withoutDigest(reference))
  const [address, digest] = deployedRelease?.imageUri?.split('@') ?? []
  const pulled = address === undefined || digest === undefined ? {} : { [address]: digest }
  return { addresses, digests: { ...pulled, ...namedDigests(images) }, whyUnknown: notSaid }
}

const notSaid = 'The image of its tag is unknown: it is not a registry of the cloud in this region.'

/** Returns the files of a site, with their digest just before they were served. */
function filesThatRan(release: StaticRelease, { contentDigest }: StaticProgress): ImagesThatRan {
  const address = directoryOf(release)
  const digests = contentDigest === undefined ? {} : { [address]: contentDigest }
  return { addresses: [address], digests, whyUnknown: notRead }
}

const notRead = 'The served files were not read completely, because there are more than 20,000.'
const notPublished = 'Its code was not published as a version.'
const notAgreed = 'It is not known for certain that all tasks of the release ran the same image.'
const notLookedAt = 'The images of its tasks are not known yet.'

/** Reports whether the images of a deployment are not stored yet but will be soon. */
export async function areImagesPending(db: Db, source: DeploymentRow, now: Date): Promise<boolean> {
  const { organizationId, id, deploymentType, completedAt } = source
  if (deploymentType !== 'cloud:ecs' || completedAt === null) return false
  if (now.getTime() - completedAt.getTime() > storedWithinMs) return false
  return (await findAtEnd(db, organizationId, id)) === undefined
}
