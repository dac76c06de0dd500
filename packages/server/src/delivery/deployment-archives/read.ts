import type { Logger } from 'pino'
import { type Archive, ArchiveError } from '../../platform/archive/archive.ts'
import { OpenObjects } from '../../platform/archive/opened.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { readable } from '../../platform/http/unreadable.ts'
import { type DeploymentOverview, findDeployment, findDeploymentOverview } from '../deployments/store/store.ts'
import type { DeploymentRow } from '../deployments/store/tables.ts'
import { openDeployments } from './archiving.ts'
import { findArchives } from './store.ts'
import type { DeploymentArchiveRow } from './tables.ts'

/** Maximum number of cached archive objects, of about 100 KiB each and at most 1 MiB. */
const maxOpen = 16

type LongById = Awaited<ReturnType<typeof openDeployments>>

/** Reads complete deployments: from their rows, and for archived ones from the archive. */
export class DeploymentReader {
  readonly #objects: OpenObjects<DeploymentArchiveRow, LongById>
  readonly #log: Logger

  constructor({ archive, archiveSeal, log }: { archive: Archive | undefined; archiveSeal: Seal; log: Logger }) {
    this.#log = log
    this.#objects = new OpenObjects(archive, (row, parcel) => openDeployments(archiveSeal, row, parcel), maxOpen)
  }

  /**
   * Loads a complete deployment.
   * @throws {ApiError} deploymentUnreadable
   */
  async find(db: Db, organizationId: string, id: string): Promise<DeploymentRow | undefined> {
    const row = await findDeployment(db, organizationId, id)
    return row && (await this.whole(db, [row]))[0]
  }

  /**
   * Loads a deployment with the columns that the API returns by default.
   * @throws {ApiError} deploymentUnreadable
   */
  async findShown(db: Db, organizationId: string, id: string): Promise<DeploymentOverview | undefined> {
    const row = await findDeploymentOverview(db, organizationId, id)
    return row && (await this.whole(db, [row]))[0]
  }

  /**
   * Adds the archived parts to deployments of one organization.
   * @throws {ApiError} deploymentUnreadable
   */
  whole<Row extends DeploymentOverview>(db: Db, rows: readonly Row[]): Promise<Row[]> {
    const what = rows.length === 1 ? 'The deployment' : 'One of the deployments'
    return readable({ log: this.#log, apiError: 'deploymentUnreadable', what }, this.#read(db, rows))
  }

  async #read<Row extends DeploymentOverview>(db: Db, rows: readonly Row[]): Promise<Row[]> {
    const ids = new Set(rows.flatMap(({ archiveId }) => archiveId ?? []))
    const [first] = rows
    if (ids.size === 0 || !first) return [...rows]
    const archives = await findArchives(db, first.organizationId, [...ids])
    const opened = await Promise.all(archives.map(async (row) => [row.id, await this.#objects.of(row)] as const))
    const byArchive = new Map(opened)
    return rows.map((row) => {
      if (row.archiveId === null) return row
      const long = byArchive.get(row.archiveId)?.[row.id]
      if (!long) throw new ArchiveError(`the archive of the deployment ${row.id} is not there`)
      return { ...row, data: { ...row.data, ...long } as Row['data'] }
    })
  }
}
