/** Storage outside the database for old records: a folder or a bucket. It does not know the content of its objects. */
export type Archive = {
  /** Location of the archive, for people. */
  readonly place: string
  /** Stores an object durably, in place of an earlier one with the same key. */
  put(key: string, bytes: Buffer): Promise<void>
  get(key: string): Promise<Buffer>
  /** Removes objects. Missing objects are ignored. */
  remove(keys: readonly string[]): Promise<void>
  close(): void
}

/** Error of an archive that cannot be written or read now, or of an object that has changed. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

/** Runs an operation of an archive. Wraps its errors in `ArchiveError`, with their message. */
export async function wrapArchiveErrors<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ArchiveError) throw cause
    throw new ArchiveError(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** Checks that the archive can store, return and remove an object. Throws `ArchiveError` otherwise. */
export async function expectUsable(archive: Archive): Promise<void> {
  const key = `checks/${crypto.randomUUID()}`
  await archive.put(key, Buffer.from(key))
  const found = await archive.get(key)
  await archive.remove([key])
  if (found.toString() !== key) throw new ArchiveError(`${archive.place} gives back something else than it was given`)
}
