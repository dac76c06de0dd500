import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { Attempt } from '../attempt.ts'
import { type BuiltFile, hashFile } from './collect.ts'

/** File name of the archive. */
const archiveName = 'archive.zip'

/** Archives files. The same files in the same order produce the same bytes. */
export async function archiveFiles(attempt: Attempt, files: readonly BuiltFile[]): Promise<BuiltFile> {
  const archive = join(attempt.folders.internal, archiveName)
  await writeArchive(archive, files)
  const { size } = await stat(archive)
  return { path: archiveName, file: archive, sizeBytes: size, sha256: await hashFile(archive), isExecutable: false }
}

export async function writeArchive(
  archive: string,
  files: readonly Pick<BuiltFile, 'path' | 'file' | 'isExecutable'>[],
): Promise<void> {
  const mtime = new Date(1981, 0, 1) // constant for equal bytes; zip files use local time from 1980 on
  const zip = new ZipFile()
  const failed = Promise.withResolvers<never>()
  zip.on('error', failed.reject) // an unreadable file is reported only here, and the stream never ends
  for (const { path, file, isExecutable } of files) {
    zip.addFile(file, path, { mtime, mode: isExecutable ? 0o100755 : 0o100644, forceDosTimestamp: true })
  }
  zip.end()
  await Promise.race([pipeline(zip.outputStream, createWriteStream(archive)), failed.promise])
}
