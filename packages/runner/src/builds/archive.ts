import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { Attempt } from '../attempt.ts'
import { type BuiltFile, digestOf } from './collect.ts'

/** What the archive is called in what is told of it. */
const archiveName = 'archive.zip'

/** Puts files into one archive: the same files, in the same order, always make the same one. */
export async function archived(attempt: Attempt, files: readonly BuiltFile[]): Promise<BuiltFile> {
  const archive = join(attempt.folders.apart, archiveName)
  await writeArchive(archive, files)
  const { size } = await stat(archive)
  return { path: archiveName, file: archive, sizeBytes: size, sha256: await digestOf(archive), isExecutable: false }
}

export async function writeArchive(
  archive: string,
  files: readonly Pick<BuiltFile, 'path' | 'file' | 'isExecutable'>[],
): Promise<void> {
  const mtime = new Date(1981, 0, 1) // the same for all; archives have local time, and begin with 1980
  const zip = new ZipFile()
  const failed = Promise.withResolvers<never>()
  zip.on('error', failed.reject) // a file that cannot be read is told of here, and the stream would never end
  for (const { path, file, isExecutable } of files) {
    zip.addFile(file, path, { mtime, mode: isExecutable ? 0o100755 : 0o100644, forceDosTimestamp: true })
  }
  zip.end()
  await Promise.race([pipeline(zip.outputStream, createWriteStream(archive)), failed.promise])
}
