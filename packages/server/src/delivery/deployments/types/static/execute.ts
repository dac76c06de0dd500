import type { CloudClients } from '../../../../cloud/adapter/access.ts'
import { createInvalidation, readDistribution, readInvalidation } from '../../../../cloud/adapter/content-network.ts'
import { readActive, writeActive } from '../../../../cloud/adapter/key-value-store.ts'
import { deletePage, readFiles } from '../../../../cloud/adapter/storage.ts'
import type { ActivationResult, RemovedPage, Restoration, SiteFacts } from '../../../../cloud/facts/static.ts'
import { present } from '../../../../platform/present.ts'
import type { ActionContext } from '../../execution/execute.ts'
import {
  onInvalidationsCreated,
  onInvalidationsObserved,
  onPageRemoved,
  onPrepared,
  onPromoted,
  onRestored,
  openInvalidations,
  type StaticCloudAction,
  selectDirectoriesToRemove,
} from './machine.ts'
import type { StaticRelease } from './release.ts'
import { overlaps } from './retention.ts'
import type { StaticState } from './state.ts'

/**
 * Executes one action in the cloud and returns the state of the deployment after it.
 * @throws errors of the cloud, permanent and transient
 */
export async function executeStaticAction(
  action: StaticCloudAction,
  deployment: StaticState,
  situation: ActionContext,
): Promise<StaticState> {
  const { clients, pace, clock } = situation
  switch (action.do) {
    case 'prepare': {
      const [facts, history] = await Promise.all([look(deployment.release, clients), historyOf(deployment, situation)])
      return onPrepared(deployment, facts, history, clock())
    }
    case 'promote':
      return onPromoted(deployment, await promote(deployment, situation), clock())
    case 'restore':
      return onRestored(deployment, await restore(deployment, situation), pace, clock())
    case 'invalidate':
      return onInvalidationsCreated(deployment, await invalidate(deployment, situation), clock())
    case 'wait': {
      const open = openInvalidations(deployment)
      const seen = await Promise.all(open.map((one) => readInvalidation(clients.contentNetwork, one)))
      return onInvalidationsObserved(deployment, seen, pace, clock())
    }
    case 'retain':
      return selectDirectoriesToRemove(
        deployment,
        situation.moduleInstanceId,
        await historyOf(deployment, situation),
        clock(),
      )
    case 'remove':
      return onPageRemoved(deployment, await remove(deployment.release, action.prefix, situation), clock())
  }
}

const historyOf = ({ release }: StaticState, { siteReleases }: ActionContext) => siteReleases(release.bucket)

async function look(release: StaticRelease, clients: CloudClients): Promise<SiteFacts> {
  const { bucket, prefix, keyValueStoreArn } = release
  const [files, { active }, distributions] = await Promise.all([
    readFiles(clients.storage, bucket, prefix),
    readActive(clients.keyValues, keyValueStoreArn),
    Promise.all(release.distributions.map((one) => readDistribution(clients.contentNetwork, one))),
  ])
  return present({
    ...files,
    active,
    distributions: distributions.map(({ shown }) => shown),
    uncompressing: distributions.filter(({ compresses }) => !compresses).map(({ shown }) => shown.distributionId),
  })
}

/**
 * Serves the directory of the release. Reads the store first: an earlier attempt may have arrived, or another actor may
 * have changed it.
 */
async function promote(
  { release, data }: StaticState,
  { clients, beforeSend }: ActionContext,
): Promise<ActivationResult> {
  const { keyValueStoreArn, prefix } = release
  const { active, version } = await readActive(clients.keyValues, keyValueStoreArn)
  if (active === prefix) return { verdict: 'set' }
  if (active !== data.previousPrefix) return { verdict: 'changed', active }
  beforeSend()
  await writeActive(clients.keyValues, keyValueStoreArn, version, prefix)
  return { verdict: 'set' }
}

async function restore({ release, data }: StaticState, { clients, beforeSend }: ActionContext): Promise<Restoration> {
  const { keyValueStoreArn, prefix } = release
  const { active, version } = await readActive(clients.keyValues, keyValueStoreArn)
  if (active === data.previousPrefix) return { verdict: 'as-before' }
  if (active !== prefix) return { verdict: 'changed', active }
  if (data.promotedAt === undefined) return { verdict: 'ours' }
  beforeSend()
  await writeActive(clients.keyValues, keyValueStoreArn, version, data.previousPrefix)
  return { verdict: 'put-back' }
}

/** Creates an invalidation. The reference makes repeated requests idempotent. */
function invalidate({ id, status, release }: StaticState, { clients }: ActionContext) {
  const reference = status === 'ROLLING_BACK' ? `${id}-rollback` : id
  return Promise.all(
    release.distributions.map((one) =>
      createInvalidation(clients.contentNetwork, one.id, reference, release.invalidationPaths),
    ),
  )
}

/** Deletes a page of a directory, unless that directory is being served. */
async function remove(
  { bucket, keyValueStoreArn }: StaticRelease,
  prefix: string,
  { clients, beforeSend }: ActionContext,
): Promise<RemovedPage> {
  const { active } = await readActive(clients.keyValues, keyValueStoreArn)
  if (active !== undefined && overlaps(active, prefix)) return { verdict: 'active' }
  return { verdict: 'removed', ...(await deletePage(clients.storage, bucket, prefix, beforeSend)) }
}
