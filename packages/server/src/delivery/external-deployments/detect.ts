import type { Logger } from 'pino'
import type { Cloud, CloudClients } from '../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { peekActive } from '../../cloud/adapter/key-value-store.ts'
import { readAlias, readVersion } from '../../cloud/adapter/lambda/functions.ts'
import { readCommandsSince } from '../../cloud/adapter/machines/external.ts'
import type { Connected } from '../../cloud/cloud-accounts/connections.ts'
import { serviceWithCluster } from '../../cloud/facts/ecs.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Engine } from '../../platform/engine/client.ts'
import { later } from '../deployments/execution/state.ts'
import { adoptFinished } from '../deployments/external/adopt-finished.ts'
import * as group from '../deployments/types/ec2/external.ts'
import * as fn from '../deployments/types/lambda/external.ts'
import * as site from '../deployments/types/static/external.ts'
import { detectOnServices, type WatchedService } from './services.ts'
import { knownCommands, listUnreleased, listWatched, type Watched } from './watched.ts'

export type DetectionParts = {
  db: Db
  cloud: Cloud
  engine: Engine
  clock: () => Date
  log: Logger
  /** Signals the shutdown of the server; the next server continues with the rest. */
  stopping?: AbortSignal
}

/** Region of an account, with what reading it requires. */
export type RegionToWatch = DetectionParts & {
  organizationId: string
  cloudAccountId: string
  region: string
  clients: CloudClients
}

/**
 * Age in milliseconds up to which remote commands are read: longer than a command can take and than a worker can be
 * down.
 */
const maxCommandAgeMs = 2 * 3_600_000
/**
 * Maximum number of concurrent calls for resources that need one call each. The cloud allows at least 15 per second.
 */
const maxConcurrentCalls = 4

/** Detects external deployments in an account since the last deployments, and adopts them. */
export async function detectInAccount(parts: DetectionParts, { account }: Connected): Promise<void> {
  const { db, cloud } = parts
  const { organizationId, id, cloudArn: roleArn, externalId, cloudId } = account
  const watched = await listWatched(db, organizationId, id)
  const unreleased = (await listUnreleased(db, organizationId, cloudId ?? '')).map(serviceWithCluster)
  const regions = new Set([...watched.map(({ release }) => release.region), ...unreleased.map(regionOf)])
  for (const region of regions) {
    const clients = cloud.clientsFor({ id, organizationId, roleArn, externalId }, region)
    const place = { ...parts, organizationId, cloudAccountId: id, region, clients }
    const here = watched.filter(({ release }) => release.region === region)
    const services = [...here.flatMap(serviceOf), ...unreleased.filter((one) => regionOf(one) === region)]
    for (const inCluster of Map.groupBy(services, ({ clusterArn }) => clusterArn).values()) {
      await ignoreCloudErrors(place, () => detectOnServices(place, inCluster))
    }
    await ignoreCloudErrors(place, () => detectOnGroups(place, here))
    await each(place, here, (one) => ignoreCloudErrors(place, () => detectOnFunction(place, one)))
    await each(place, here, (one) => ignoreCloudErrors(place, () => detectOnSite(place, one)))
  }
}

const regionOf = ({ serviceArn }: WatchedService): string => serviceArn.split(':').at(3) ?? ''

function serviceOf({ status, release, data, progress }: Watched): WatchedService[] {
  if (release.type !== 'cloud:ecs' || data.type !== 'cloud:ecs') return []
  const { serviceArn, clusterArn } = release
  const taskDefinitionArn = 'taskDefinitionArn' in progress ? progress.taskDefinitionArn : undefined
  return [{ serviceArn, clusterArn, last: { status, data, taskDefinitionArn } }]
}

async function detectOnFunction({ db, clock, clients: { lambda } }: RegionToWatch, watched: Watched): Promise<void> {
  const { status, release, data } = watched
  if (release.type !== 'cloud:lambda' || data.type !== 'cloud:lambda') return
  const known = { status, data }
  const alias = await readAlias(lambda, release)
  if (!fn.isMovedExternally(known, alias)) return
  const facts = await readVersion(lambda, release, alias.version)
  await adoptFinished(db, watched, fn.finishedExternally(release, known, { alias, facts }, clock()), clock)
}

async function detectOnSite({ db, clock, clients: { keyValues } }: RegionToWatch, watched: Watched): Promise<void> {
  const { status, release, data } = watched
  if (release.type !== 'cloud:static' || data.type !== 'cloud:static') return
  const known = { status, data }
  const active = await peekActive(keyValues, release.keyValueStoreArn)
  if (!site.isChosenExternally(known, active)) return
  await adoptFinished(db, watched, site.finishedExternally(release, known, active, clock()), clock)
}

/** Detects external deployments to all groups of the region, with one list of commands. */
async function detectOnGroups(
  { db, clock, organizationId, clients }: RegionToWatch,
  here: readonly Watched[],
): Promise<void> {
  if (!here.some(({ release }) => release.type === 'cloud:ec2')) return
  const commands = await readCommandsSince(clients.ssm, later(clock(), -maxCommandAgeMs))
  const ids = commands.map(({ commandId }) => commandId)
  const known = await knownCommands(db, organizationId, ids)
  for (const watched of here) {
    const { release, createdAt: since } = watched
    if (release.type !== 'cloud:ec2') continue
    const command = group.findExternalCommand(release, commands, { since, known })
    if (command) await adoptFinished(db, watched, group.finishedExternally(release, command), clock)
  }
}

/**
 * Ignores cloud errors, which the next poll retries, so that a deleted cluster or function does not hide other
 * resources.
 */
async function ignoreCloudErrors(
  { log, cloudAccountId, region }: RegionToWatch,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof CloudPermanentError || error instanceof CloudTransientError)) throw error
    log.info({ cloudAccountId, region, reason: error.message }, 'releases from outside cannot be looked for')
  }
}

async function each<T>({ stopping }: RegionToWatch, all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length && !stopping?.aborted; from += maxConcurrentCalls) {
    await Promise.all(all.slice(from, from + maxConcurrentCalls).map(work))
  }
}
