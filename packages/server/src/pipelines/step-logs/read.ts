import type { Archive } from '../../platform/archive/archive.ts'
import { OpenObjects } from '../../platform/archive/opened.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import type { StepLogChunkRow } from '../pipelines/tables.ts'
import { findStretch } from './archive-store.ts'
import { openStretch } from './archiving.ts'
import { listChunks } from './store.ts'
import type { ArchivedStepLogRow } from './tables.ts'

/** Stretches that are kept open. Up to 4 MiB of text each. */
const mostOpen = 8

/** Reads logs where they are: in the database while the step writes, in the archive once it is over. */
export class LogReader {
  readonly #stretches: OpenObjects<ArchivedStepLogRow, StepLogChunkRow[]>

  constructor({ archive, archiveSeal }: { archive: Archive | undefined; archiveSeal: Seal }) {
    this.#stretches = new OpenObjects(archive, (row, parcel) => openStretch(archiveSeal, row, parcel), mostOpen)
  }

  /** The chunks that follow the one with the number `after`, in order. Throws `ArchiveTrouble`. */
  async list(
    db: Db,
    organizationId: string,
    stepExecutionId: string,
    { after, limit }: { after: number; limit: number },
  ): Promise<StepLogChunkRow[]> {
    // The database first: what is moved between the two looks is seen in both, and told once.
    const chunks = await listChunks(db, organizationId, stepExecutionId, { after, limit })
    if (chunks[0]?.sequence === after + 1) return chunks
    const found: StepLogChunkRow[] = []
    let last = after
    while (found.length < limit) {
      const stretch = await findStretch(db, organizationId, stepExecutionId, last)
      if (!stretch) break
      found.push(...(await this.#stretches.of(stretch)).filter(({ sequence }) => sequence > last))
      last = stretch.lastSequence
    }
    return [...found, ...chunks.filter(({ sequence }) => sequence > last)].slice(0, limit)
  }
}
