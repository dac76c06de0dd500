import type { Caller } from '../callers.ts'
import { CloudError } from '../errors.ts'
import { cdnId } from '../ids.ts'
import { child, childText, type Xml } from '../wire/xml.ts'
import type { World } from '../world.ts'
import { cdnReply, invalidArgument, itemsOf } from './answers.ts'
import { findDistribution } from './distributions.ts'
import { cloudFront, type Invalidation } from './state.ts'

// "Concurrent request maximum" of file invalidation in the developer guide, read 2026-11.
const maxPaths = 3000
const maxPathLength = 4_000
const maxWildcards = 15

export function createInvalidation(
  world: World,
  caller: Caller,
  { DistributionId, InvalidationBatch: batch }: { DistributionId: string; InvalidationBatch?: Xml },
) {
  const { key: distributionId } = findDistribution(world, caller, DistributionId)
  const callerReference = childText(batch, 'CallerReference')
  if (!callerReference) throw invalidArgument('The parameter CallerReference is required.')
  const paths = checkedPaths(batch)
  const there = cloudFront(world)
    .invalidations.having('distribution', distributionId)
    .find((row) => row.callerReference === callerReference)
  if (there && there.paths.join('\n') !== paths.join('\n')) {
    const message = `Your request contains a caller reference that was used for a previous invalidation batch for the same distribution: ${callerReference}`
    throw new CloudError('InvalidationBatchAlreadyExists', message, 409)
  }
  if (!there) checkInProgress(world, distributionId, paths)
  const invalidation = there ?? save(world, { distributionId, callerReference, paths })
  const location = `/2020-05-31/distribution/${distributionId}/invalidation/${invalidation.key}`
  return cdnReply('Invalidation', describe(world, invalidation), { status: 201, headers: { location } })
}

export function getInvalidation(
  world: World,
  caller: Caller,
  { DistributionId, Id }: { DistributionId: string; Id: string },
) {
  findDistribution(world, caller, DistributionId)
  const invalidation = cloudFront(world).invalidations.get(Id)
  if (invalidation?.distributionId !== DistributionId) {
    throw new CloudError('NoSuchInvalidation', 'The specified invalidation does not exist.', 404)
  }
  return cdnReply('Invalidation', describe(world, invalidation))
}

export function listInvalidations(
  world: World,
  caller: Caller,
  { DistributionId, Marker, MaxItems }: { DistributionId: string; Marker?: string; MaxItems?: string },
) {
  findDistribution(world, caller, DistributionId)
  const all = cloudFront(world).invalidations.having('distribution', DistributionId).reverse()
  const from = Marker ? all.findIndex(({ key }) => key === Marker) + 1 : 0
  const size = Math.min(Number(MaxItems ?? 100), 100)
  const items = all.slice(from, from + size)
  const isTruncated = from + size < all.length
  return cdnReply('InvalidationList', {
    Marker: Marker ?? '',
    NextMarker: isTruncated ? items.at(-1)?.key : undefined,
    MaxItems: size,
    IsTruncated: isTruncated,
    Quantity: items.length,
    Items: {
      InvalidationSummary: items.map((row) => ({
        Id: row.key,
        CreateTime: new Date(row.createdAt),
        Status: statusOf(world, row),
      })),
    },
  })
}

function checkedPaths(batch: Xml | undefined): string[] {
  const paths = itemsOf(child(batch, 'Paths'), 'Path').map(String)
  if (paths.length === 0) throw invalidArgument('Your request does not contain any invalidation paths.')
  const wrong = paths.find((path) => !isInvalidationPath(path))
  if (wrong !== undefined) {
    throw invalidArgument(`Your request contains one or more invalid invalidation paths: ${wrong}`)
  }
  return paths
}

/**
 * Reports whether an invalidation path is valid: non-ASCII characters and the unsafe ones of RFC 1738 are encoded, and
 * `~` does not occur in either form ("What you need to know when invalidating files", read 2026-11).
 */
const isInvalidationPath = (path: string): boolean =>
  path.length <= maxPathLength && /^\/(?:[!$&-)+-;=?-Z_a-z]|%(?!7e)[0-9a-f]{2})*\*?$/i.test(path)

/** Enforces the limits of concurrent paths and wildcards per distribution. */
function checkInProgress(world: World, distributionId: string, paths: string[]): void {
  const open = cloudFront(world)
    .invalidations.having('distribution', distributionId)
    .filter((row) => statusOf(world, row) === 'InProgress')
    .flatMap((row) => row.paths)
  const all = [...open, ...paths]
  if (all.length <= maxPaths && all.filter((path) => path.endsWith('*')).length <= maxWildcards) return
  const message =
    'You have exceeded the maximum number of allowable InProgress invalidation batch requests, or invalidation objects.'
  throw new CloudError('TooManyInvalidationsInProgress', message)
}

function save(world: World, batch: Pick<Invalidation, 'distributionId' | 'callerReference' | 'paths'>): Invalidation {
  // Fault injection for manual tests: an invalidation of such a path never ends.
  const hangs = batch.paths.some((path) => /-hang\*?$/.test(path))
  return cloudFront(world).invalidations.save({
    ...batch,
    key: cdnId('I'),
    createdAt: world.clock.timestamp(),
    completeAt: hangs ? null : world.in(world.timing.invalidationSeconds),
  })
}

const statusOf = (world: World, { completeAt }: Invalidation) =>
  completeAt !== null && world.clock.now() >= completeAt ? 'Completed' : 'InProgress'

const describe = (world: World, row: Invalidation) => ({
  Id: row.key,
  Status: statusOf(world, row),
  CreateTime: new Date(row.createdAt),
  InvalidationBatch: {
    Paths: { Quantity: row.paths.length, Items: { Path: row.paths } },
    CallerReference: row.callerReference,
  },
})
