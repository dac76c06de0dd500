import type { Logger } from 'pino'
import { type Archive, ArchiveTrouble } from '../../platform/archive/archive.ts'
import { OpenObjects } from '../../platform/archive/opened.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { readable } from '../../platform/http/unreadable.ts'
import { findDeployment, findShownDeployment, type ShownDeployment } from '../deployments/store/store.ts'
import type { DeploymentRow } from '../deployments/store/tables.ts'
import { openDeployments } from './archiving.ts'
import { findArchives } from './store.ts'
import type { DeploymentArchiveRow } from './tables.ts'

/** Objects that are kept open, of some 100 KiB each and 1 MiB at most. */
const mostOpen = 16

type LongById = Awaited<ReturnType<typeof openDeployments>>

/** Reads what is long in deployments where it is: in their rows, in the archive once they are old. */
export class DeploymentReader {
  readonly #objects: OpenObjects<DeploymentArchiveRow, LongById>
  readonly #log: Logger

  constructor({ archive, archiveSeal, log }: { archive: Archive | undefined; archiveSeal: Seal; log: Logger }) {
    this.#log = log
    this.#objects = new OpenObjects(archive, (row, parcel) => openDeployments(archiveSeal, row, parcel), mostOpen)
  }

  /** A deployment with all that it has. Refuses with `deploymentUnreadable`. */
  async find(db: Db, organizationId: string, id: string): Promise<DeploymentRow | undefined> {
    const row = await findDeployment(db, organizationId, id)
    return row && (await this.whole(db, [row]))[0]
  }

  /** The same as far as it is shown where nobody asks for more. Refuses with `deploymentUnreadable`. */
  async findShown(db: Db, organizationId: string, id: string): Promise<ShownDeployment | undefined> {
    const row = await findShownDeployment(db, organizationId, id)
    return row && (await this.whole(db, [row]))[0]
  }

  /** The same deployments of one organization, each with all that it has. Refuses with `deploymentUnreadable`. */
  whole<Row extends ShownDeployment>(db: Db, rows: readonly Row[]): Promise<Row[]> {
    const what = rows.length === 1 ? 'The deployment' : 'One of the deployments'
    return readable({ log: this.#log, refusal: 'deploymentUnreadable', what }, this.#read(db, rows))
  }

  async #read<Row extends ShownDeployment>(db: Db, rows: readonly Row[]): Promise<Row[]> {
    const ids = new Set(rows.flatMap(({ archiveId }) => archiveId ?? []))
    const [first] = rows
    if (ids.size === 0 || !first) return [...rows]
    const archives = await findArchives(db, first.organizationId, [...ids])
    const opened = await Promise.all(archives.map(async (row) => [row.id, await this.#objects.of(row)] as const))
    const byArchive = new Map(opened)
    return rows.map((row) => {
      if (row.archiveId === null) return row
      const long = byArchive.get(row.archiveId)?.[row.id]
      if (!long) throw new ArchiveTrouble(`the archive of the deployment ${row.id} is not there`)
      return { ...row, data: { ...row.data, ...long } as Row['data'] }
    })
  }
}
