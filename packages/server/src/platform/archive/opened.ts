import { PromiseCache } from '../promise-cache.ts'
import { type Archive, ArchiveError } from './archive.ts'

/** Row that refers to an object of the archive. */
type Archived = { id: string; objectKey: string }

/** Reads objects of the archive and caches the latest ones, because users read page after page. */
export class OpenObjects<Row extends Archived, T> {
  readonly #archive: Archive | undefined
  readonly #open: (row: Row, parcel: Buffer) => Promise<T>
  readonly #opened: PromiseCache<T>

  constructor(archive: Archive | undefined, open: (row: Row, parcel: Buffer) => Promise<T>, max: number) {
    this.#archive = archive
    this.#open = open
    this.#opened = new PromiseCache({ max })
  }

  /** Returns the content of the object. Throws `ArchiveError`. */
  of(row: Row): Promise<T> {
    return this.#opened.get([row.id], () => this.#read(row))
  }

  async #read(row: Row): Promise<T> {
    if (!this.#archive)
      throw new ArchiveError('this process has no archive: SLUICE_ARCHIVE_DIR or SLUICE_ARCHIVE_BUCKET')
    return this.#open(row, await this.#archive.get(row.objectKey))
  }
}
