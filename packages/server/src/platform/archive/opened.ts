import { type Archive, ArchiveTrouble } from './archive.ts'

/** An object of the archive, as the row that knows it names it. */
type Kept = { id: string; objectKey: string }

/** Reads objects of the archive, and keeps the last ones open: whoever reads one page soon reads the next. */
export class OpenObjects<Row extends Kept, T> {
  readonly #archive: Archive | undefined
  readonly #open: (row: Row, parcel: Buffer) => Promise<T>
  readonly #most: number
  readonly #opened = new Map<string, Promise<T>>()

  constructor(archive: Archive | undefined, open: (row: Row, parcel: Buffer) => Promise<T>, most: number) {
    this.#archive = archive
    this.#open = open
    this.#most = most
  }

  /** What is in the object. Throws `ArchiveTrouble`. */
  of(row: Row): Promise<T> {
    const known = this.#opened.get(row.id)
    const opened = known ?? this.#read(row)
    this.#opened.delete(row.id)
    this.#opened.set(row.id, opened) // the last that was asked for is the last to go
    const [oldest] = this.#opened.keys()
    if (this.#opened.size > this.#most && oldest !== undefined) this.#opened.delete(oldest)
    if (!known) opened.catch(() => this.#opened.delete(row.id))
    return opened
  }

  async #read(row: Row): Promise<T> {
    if (!this.#archive)
      throw new ArchiveTrouble('this process has no archive: SLUICE_ARCHIVE_DIR or SLUICE_ARCHIVE_BUCKET')
    return this.#open(row, await this.#archive.get(row.objectKey))
  }
}
