import type { Archive } from '../../platform/archive/archive.ts'
import { OpenObjects } from '../../platform/archive/opened.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import type { StepLogChunkRow } from '../pipelines/tables.ts'
import { findSection } from './archive-store.ts'
import { decryptLogSection } from './archiving.ts'
import { listChunks } from './store.ts'
import type { ArchivedStepLogRow } from './tables.ts'

/** Maximum number of cached sections, with up to 4 MiB of text each. */
const maxOpen = 8

/** Reads logs: from the database while the step is running, and from the archive afterwards. */
export class LogReader {
  readonly #stretches: OpenObjects<ArchivedStepLogRow, StepLogChunkRow[]>

  constructor({ archive, archiveSeal }: { archive: Archive | undefined; archiveSeal: Seal }) {
    this.#stretches = new OpenObjects(archive, (row, parcel) => decryptLogSection(archiveSeal, row, parcel), maxOpen)
  }

  /**
   * Returns the chunks after the number `after`, in order.
   * @throws {ArchiveError} if the archive cannot be read
   */
  async list(
    db: Db,
    organizationId: string,
    stepExecutionId: string,
    { after, limit }: { after: number; limit: number },
  ): Promise<StepLogChunkRow[]> {
    // Reads the database first. Chunks that are archived between the reads are in both results and returned once.
    const chunks = await listChunks(db, organizationId, stepExecutionId, { after, limit })
    if (chunks[0]?.sequence === after + 1) return chunks
    const found: StepLogChunkRow[] = []
    let last = after
    while (found.length < limit) {
      const stretch = await findSection(db, organizationId, stepExecutionId, last)
      if (!stretch) break
      found.push(...(await this.#stretches.of(stretch)).filter(({ sequence }) => sequence > last))
      last = stretch.lastSequence
    }
    return [...found, ...chunks.filter(({ sequence }) => sequence > last)].slice(0, limit)
  }
}
