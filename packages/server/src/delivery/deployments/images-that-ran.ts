import { withoutDigest } from '../../cloud/facts/images.ts'
import type { Db } from '../../platform/db/open.ts'
import { findAtEnd, lookedAtMs } from '../deployment-resources/store.ts'
import { imagesOf } from './images.ts'
import { agreedDigests, type ImagesThatRan, namedDigests } from './promoted-images.ts'
import { dataOf } from './standing.ts'
import type { DeploymentRow } from './tables.ts'

/** What is known of the images that a deployment ran: by their addresses, else as its tasks ran them at its end. */
export async function imagesThatRan(db: Db, source: DeploymentRow): Promise<ImagesThatRan> {
  const images = imagesOf(source.release, dataOf(source.data)) ?? []
  const addresses = images.map(({ reference }) => withoutDigest(reference))
  const atEnd = await findAtEnd(db, source.organizationId, source.id)
  const seen = atEnd?.isWhole ? agreedDigests(atEnd.resources) : {}
  return { addresses, digests: { ...seen, ...namedDigests(images) }, whyUnknown: atEnd ? notAgreed : notLookedAt }
}

const notAgreed = 'It is not known for certain that all tasks of the release ran the same image.'
const notLookedAt = 'Which image its tasks ran has not been looked at yet.'

/** Whether it is soon known what a deployment ran, and not yet. */
export async function isYetToBeSeen(db: Db, source: DeploymentRow, now: Date): Promise<boolean> {
  const { organizationId, id, deploymentType, completedAt } = source
  if (deploymentType !== 'cloud:ecs' || completedAt === null) return false
  if (now.getTime() - completedAt.getTime() > lookedAtMs) return false
  return (await findAtEnd(db, organizationId, id)) === undefined
}
