import { type Archive, ArchiveTrouble } from '../../platform/archive/archive.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import type { StepLogChunkRow } from '../pipelines/tables.ts'
import { findStretch } from './archive-store.ts'
import { openStretch } from './archiving.ts'
import { listChunks } from './store.ts'
import type { ArchivedStepLogRow } from './tables.ts'

/** Stretches that are kept open: whoever reads one page of a log soon reads the next. Up to 4 MiB of text each. */
const mostOpen = 8

/** Reads logs where they are: in the database while the step writes, in the archive once it is over. */
export class LogReader {
  readonly #archive: Archive | undefined
  readonly #seal: Seal
  readonly #open = new Map<string, Promise<StepLogChunkRow[]>>()

  constructor({ archive, archiveSeal }: { archive: Archive | undefined; archiveSeal: Seal }) {
    this.#archive = archive
    this.#seal = archiveSeal
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
      found.push(...(await this.#chunksOf(stretch)).filter(({ sequence }) => sequence > last))
      last = stretch.lastSequence
    }
    return [...found, ...chunks.filter(({ sequence }) => sequence > last)].slice(0, limit)
  }

  #chunksOf(stretch: ArchivedStepLogRow): Promise<StepLogChunkRow[]> {
    const known = this.#open.get(stretch.id)
    const opened = known ?? this.#read(stretch)
    this.#open.delete(stretch.id)
    this.#open.set(stretch.id, opened) // the last that was asked for is the last to go
    const [oldest] = this.#open.keys()
    if (this.#open.size > mostOpen && oldest !== undefined) this.#open.delete(oldest)
    if (!known) opened.catch(() => this.#open.delete(stretch.id))
    return opened
  }

  async #read(stretch: ArchivedStepLogRow): Promise<StepLogChunkRow[]> {
    if (!this.#archive)
      throw new ArchiveTrouble('this process has no archive: SLUICE_ARCHIVE_DIR or SLUICE_ARCHIVE_BUCKET')
    return openStretch(this.#seal, stretch, await this.#archive.get(stretch.objectKey))
  }
}
