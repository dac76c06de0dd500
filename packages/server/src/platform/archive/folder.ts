import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Archive, wrapArchiveErrors } from './archive.ts'

/** Opens an archive in a folder, which all processes see at the same path. */
export function openFolder(path: string): Archive {
  const root = resolve(path)
  const fileOf = (key: string) => join(root, key)
  return {
    place: `the folder ${root}`,
    put: (key, bytes) =>
      wrapArchiveErrors(`${fileOf(key)} cannot be written`, async () => {
        const file = fileOf(key)
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        // Unique to this call, because two calls may write the same object.
        const whole = `${file}.${crypto.randomUUID()}.new`
        try {
          await writeFile(whole, bytes, { mode: 0o600, flush: true })
          await rename(whole, file)
        } catch (error) {
          await rm(whole, { force: true })
          throw error
        }
        await keepNames(dirname(file))
      }),
    get: (key) => wrapArchiveErrors(`${fileOf(key)} cannot be read`, () => readFile(fileOf(key))),
    remove: (keys) =>
      wrapArchiveErrors(`files in ${root} cannot be removed`, async () => {
        for (const key of keys) await rm(fileOf(key), { force: true })
      }),
    close: () => {},
  }
}

/** Syncs a folder, which makes new file names durable. */
async function keepNames(folder: string): Promise<void> {
  const opened = await open(folder)
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}
