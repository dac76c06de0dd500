import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DownloadedStepArtifact } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { createLogDetail } from '../log/log-detail.ts'
import { hashBytes } from './hash.ts'
import { PackageInvalid, readPackage, writePackage } from './package.ts'

/** Checkpoint after which the step's own program may have started. */
const doneName = 'artifacts-downloaded'

/**
 * Copies a folder into another one as the step's program would. In the program's own view of the machine, a link in the
 * target leads nowhere that the program could not write itself.
 */
const copyScript = 'mkdir -p -- "$2" && cp -R -- "$1/." "$2/"'

/** Downloads the files of earlier steps into the working directory. */
export async function downloadArtifacts(
  attempt: Attempt,
  artifacts: readonly DownloadedStepArtifact[],
  directory: string,
): Promise<void> {
  const done = join(attempt.folders.checkpoints, doneName)
  if (artifacts.length === 0 || existsSync(done)) return
  for (const [index, artifact] of artifacts.entries()) await downloadArtifact(attempt, artifact, { index, directory })
  await writeFile(done, '')
}

async function downloadArtifact(
  attempt: Attempt,
  artifact: DownloadedStepArtifact,
  { index, directory }: { index: number; directory: string },
): Promise<void> {
  const { name, path } = artifact
  const folder = join(attempt.folders.inputs, `artifact-${index}`)
  try {
    const files = await readPackage(await download(attempt, artifact))
    await writePackage(files, folder)
    attempt.log(`Downloaded the artifact ${name}: ${files.length} ${files.length === 1 ? 'file' : 'files'}.`)
  } catch (error) {
    if (!(error instanceof PackageInvalid)) throw error
    throw new StepFailure('stepArtifactInvalid', `Cannot read the artifact ${name}: ${error.message}.`)
  }
  const result = await attempt.runProgram(`download-${index}`, {
    argv: ['sh', '-c', copyScript, 'sh', folder, path],
    cwd: directory,
  })
  if ('exitCode' in result && result.exitCode === 0) return
  throw new StepFailure('stepArtifactInvalid', `Cannot write the artifact ${name} to the folder ${path}.`, {
    description: 'Set path of the download to a folder in the working directory of the step.',
    details: [createLogDetail(attempt)],
  })
}

async function download(attempt: Attempt, { id, pieceCount, sha256 }: DownloadedStepArtifact): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let position = 0; position < pieceCount; position++) {
    attempt.signal.throwIfAborted()
    const { content } = await attempt.api.downloadStepArtifact({ id, position })
    pieces.push(Buffer.from(content, 'base64'))
  }
  const packed = Buffer.concat(pieces)
  if (hashBytes(packed) === sha256) return packed
  throw new PackageInvalid('its content has changed since it was uploaded')
}
