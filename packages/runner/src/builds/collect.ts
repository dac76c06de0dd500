import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ArtifactFile } from '@sluice/contract/runner-protocol'
import { mostArtifactFiles } from '@sluice/contract/runner-protocol/constants'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { endOfLog } from '../log/last-lines.ts'
import { walkFolder } from '../walk-folder.ts'

/** A file of what was built, and where it is on this machine. */
export type BuiltFile = ArtifactFile & { file: string; isExecutable: boolean }

/**
 * The files that a build has left in a folder, sorted by their paths. They are copied by a program that sees what the
 * build saw: a link in what a build has left leads nowhere else, and nothing of the build can change the copies.
 */
export async function collected(attempt: Attempt, directory: string, folder: string): Promise<BuiltFile[]> {
  const copies = join(attempt.folders.apart, 'output')
  const result = await attempt.process('collect', {
    argv: ['cp', '-RL', '--', `./${folder}/.`, copies],
    cwd: directory,
    // Without commands nobody has been given the files of the source yet.
    writable: [attempt.directory, attempt.folders.apart],
  })
  if (!('exitCode' in result && result.exitCode === 0)) {
    throw new StepFailure('buildOutputInvalid', `The folder ${folder} cannot be read after the build.`, {
      description: 'Name the folder that the build writes to as output_directory of the builder.',
      details: [endOfLog(attempt)],
    })
  }
  const paths = await filesBelow(copies)
  if (paths.length === 0) throw new StepFailure('buildOutputInvalid', `The build has left nothing in ${folder}.`)
  const files: BuiltFile[] = []
  for (const path of paths) files.push(await described(copies, path))
  return files
}

/** The paths of all files, in an order that depends on nothing but them. */
async function filesBelow(root: string): Promise<string[]> {
  const paths: string[] = []
  const unreadable = (error: NodeJS.ErrnoException) => {
    throw new StepFailure('buildOutputInvalid', `What the build has left cannot be read: ${error.message}.`)
  }
  for await (const { path, entry } of walkFolder(root, unreadable)) {
    if (entry.isDirectory()) continue
    if (!entry.isFile()) {
      throw new StepFailure('buildOutputInvalid', `${entry.name} is no regular file; only those can be published.`)
    }
    paths.push(relative(root, path).split(sep).join('/'))
    if (paths.length > mostArtifactFiles) {
      const message = `The build has left more than ${mostArtifactFiles} files, and an artifact has no more.`
      throw new StepFailure('buildOutputInvalid', message)
    }
  }
  return paths.sort()
}

async function described(root: string, path: string): Promise<BuiltFile> {
  const file = join(root, path)
  const { size, mode } = await lstat(file)
  return { path, file, sizeBytes: size, sha256: await digestOf(file), isExecutable: (mode & 0o100) !== 0 }
}

export async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
