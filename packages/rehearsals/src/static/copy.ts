import type { EmbeddedCloud } from '@sluice/cloud-sim/embedded'
import { activeKey } from '@sluice/server/cloud/facts/static'
import type { StaticChange } from '@sluice/server/delivery/rehearsals/job'
import { type Copy, type Versions, withTraffic } from '../copy.ts'
import { staticScenarios } from './scenarios.ts'

/** Copy of a static site. */
export class StaticCopy implements Copy {
  readonly #change: StaticChange
  readonly #cloud: EmbeddedCloud
  readonly scenarios = staticScenarios(this)

  constructor(change: StaticChange, cloud: EmbeddedCloud) {
    this.#change = change
    this.#cloud = cloud
  }

  create(): Promise<void> {
    const { release, twin } = this.#change
    const { bucket: name, prefix, region, keyValueStoreArn: arn } = release
    const { accountNumber: account, hasFiles, active, distributions } = twin
    const bucket = { name, region, account, directories: hasFiles ? [prefix] : [] }
    const content = active === undefined ? {} : { [activeKey]: active }
    return this.#cloud.importSite({ bucket, distributions, keyValueStore: { arn, content } })
  }

  versions(): Versions {
    const { release, twin } = this.#change
    const isReplaced = release.prefix !== twin.active
    const share = isReplaced && this.#active === release.prefix ? 100 : 0
    return { old: withTraffic(100 - share), new: withTraffic(share) }
  }

  /** Polls find every change of a site in time. */
  concernsRelease = (): boolean => false

  /** Makes the files of the release unreadable. */
  denyFiles(): Promise<void> {
    const denied = { code: 'AccessDenied', status: 403, message: 'Access Denied' }
    return this.#cloud.control.addFault({ kind: 'error', service: 's3', operation: 'ListObjectsV2', ...denied })
  }

  /** Serves the directory before the release again, as someone else would. */
  moveBackExternally(): Promise<void> {
    const { release, twin } = this.#change
    return this.#cloud.setKeyExternally(release.keyValueStoreArn, activeKey, twin.active)
  }

  /** A static site has no checks that could notice a failure. */
  suggestion = (): undefined => undefined

  get #active(): string | undefined {
    return this.#cloud.keysOfStore(this.#change.release.keyValueStoreArn)[activeKey]
  }
}
