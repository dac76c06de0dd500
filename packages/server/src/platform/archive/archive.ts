/** Where what is over is kept out of the database: a folder, or a bucket. It does not know what it holds. */
export type Archive = {
  /** Where it is, for people. */
  readonly place: string
  /** Whole and lasting once it resolves; what was there under the key is replaced. */
  put(key: string, bytes: Buffer): Promise<void>
  get(key: string): Promise<Buffer>
  /** One that is not there is no trouble. */
  remove(keys: readonly string[]): Promise<void>
  close(): void
}

/** The archive cannot be written or read now, or an object is not as it was written. */
export class ArchiveTrouble extends Error {
  override readonly name = 'ArchiveTrouble'
}

/** Does something with an archive, whose own words are kept. */
export async function orTrouble<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ArchiveTrouble) throw cause
    throw new ArchiveTrouble(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** Whether the archive takes an object, gives it back and lets go of it; throws `ArchiveTrouble` where not. */
export async function expectUsable(archive: Archive): Promise<void> {
  const key = `checks/${crypto.randomUUID()}`
  await archive.put(key, Buffer.from(key))
  const found = await archive.get(key)
  await archive.remove([key])
  if (found.toString() !== key) throw new ArchiveTrouble(`${archive.place} gives back something else than it was given`)
}
