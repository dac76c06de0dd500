import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ArtifactFile } from '@sluice/contract/runner-protocol'
import { maxArtifactFiles } from '@sluice/contract/runner-protocol/constants'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { createLogDetail } from '../log/log-detail.ts'
import { walkFolder } from '../walk-folder.ts'

/** A file of the build output and its path on this machine. */
export type BuiltFile = ArtifactFile & { file: string; isExecutable: boolean }

/**
 * Returns the files in the output folder of a build, sorted by path. A program with the build's own view copies them:
 * links cannot lead outside that view, and the build can no longer change the copies.
 */
export async function collectFiles(attempt: Attempt, directory: string, folder: string): Promise<BuiltFile[]> {
  const copies = join(attempt.folders.internal, 'output')
  const result = await attempt.runProgram('collect', {
    argv: ['cp', '-RL', '--', `./${folder}/.`, copies],
    cwd: directory,
    // Without build commands the step's programs own no files of the source yet.
    writable: [attempt.directory, attempt.folders.internal],
  })
  if (!('exitCode' in result && result.exitCode === 0)) {
    throw new StepFailure('buildOutputInvalid', `Cannot read the folder ${folder} after the build.`, {
      description: 'Set output_directory of the builder to the folder that the build writes to.',
      details: [createLogDetail(attempt)],
    })
  }
  const paths = await listFiles(copies)
  if (paths.length === 0)
    throw new StepFailure('buildOutputInvalid', `The build wrote no files to ${folder}.`, {
      description: 'Set output_directory of the builder to the folder that the build writes to.',
    })
  const files: BuiltFile[] = []
  for (const path of paths) files.push(await describeFile(copies, path))
  return files
}

/** Returns the paths of all files, sorted. */
async function listFiles(root: string): Promise<string[]> {
  const paths: string[] = []
  const unreadable = (error: NodeJS.ErrnoException) => {
    throw new StepFailure('buildOutputInvalid', `Cannot read the output of the build: ${error.message}.`)
  }
  for await (const { path, entry } of walkFolder(root, unreadable)) {
    if (entry.isDirectory()) continue
    if (!entry.isFile()) {
      throw new StepFailure('buildOutputInvalid', `Cannot publish ${entry.name}: it is not a regular file.`)
    }
    paths.push(relative(root, path).split(sep).join('/'))
    if (paths.length > maxArtifactFiles) {
      const message = `The build wrote more than ${maxArtifactFiles} files, the maximum for an artifact.`
      throw new StepFailure('buildOutputInvalid', message)
    }
  }
  return paths.sort()
}

async function describeFile(root: string, path: string): Promise<BuiltFile> {
  const file = join(root, path)
  const { size, mode } = await lstat(file)
  return { path, file, sizeBytes: size, sha256: await hashFile(file), isExecutable: (mode & 0o100) !== 0 }
}

export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
