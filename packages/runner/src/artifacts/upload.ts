import { lstat, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { UploadedStepArtifact } from '@sluice/contract/runner-protocol'
import {
  maxStepArtifactBytes,
  maxStepArtifactFiles,
  stepArtifactPieceBytes,
} from '@sluice/contract/runner-protocol/constants'
import type { Attempt } from '../attempt.ts'
import { StepFailure } from '../failure.ts'
import { createLogDetail } from '../log/log-detail.ts'
import { walkFolder } from '../walk-folder.ts'
import { hashBytes } from './hash.ts'
import { type PackagedFile, packFiles } from './package.ts'

/**
 * Copies what the patterns name into a folder that the step's program cannot see. Runs with the program's own view of
 * the machine, so that links lead only to files that the program could read. Without field splitting, a pattern expands
 * to whole paths; `.` and `..`, which `.*` also matches, are left out.
 */
const copyScript = `
out=$1; shift; IFS=; mkdir -p -- "$out"
for pattern in "$@"; do
  if [ "$pattern" = . ]; then cp -RL -- ./. "$out/" || exit 1; continue; fi
  for path in $pattern; do
    path=\${path#./}; path=\${path%/}
    case "/$path/" in */./*|*/../*) continue;; esac
    [ -e "./$path" ] || continue
    case "$path" in */*) folder=$out/\${path%/*};; *) folder=$out;; esac
    [ -d "$folder" ] || mkdir -p -- "$folder" || exit 1
    cp -RL -- "./$path" "$folder/" || exit 1
  done
done`

/** Uploads the files that the step passes to later steps. A repeated upload replaces the earlier one. */
export async function uploadArtifacts(
  attempt: Attempt,
  artifacts: readonly UploadedStepArtifact[],
  directory: string,
): Promise<void> {
  for (const [index, artifact] of artifacts.entries()) {
    const files = await collectFiles(attempt, artifact, { index, directory })
    await upload(attempt, artifact.name, files)
    attempt.log(`Uploaded the artifact ${artifact.name}: ${files.length} ${files.length === 1 ? 'file' : 'files'}.`)
  }
}

async function collectFiles(
  attempt: Attempt,
  { name, paths }: UploadedStepArtifact,
  { index, directory }: { index: number; directory: string },
): Promise<PackagedFile[]> {
  const copies = join(attempt.folders.internal, `artifact-${index}`)
  const result = await attempt.runProgram(`upload-${index}`, {
    argv: ['sh', '-c', copyScript, 'sh', copies, ...paths],
    cwd: directory,
    writable: [attempt.directory, attempt.folders.internal],
  })
  if (!('exitCode' in result && result.exitCode === 0)) {
    throw invalid(name, 'its files cannot be read', { details: [createLogDetail(attempt)] })
  }
  const files = await readCopies(name, copies)
  if (files.length > 0) return files
  throw invalid(name, `no file matches ${paths.join(', ')}`, {
    description: 'Paths are relative to the working directory of the step. * matches any part of a name but /.',
  })
}

async function readCopies(name: string, root: string): Promise<PackagedFile[]> {
  const files: PackagedFile[] = []
  let sizeBytes = 0
  const unreadable = (error: NodeJS.ErrnoException) => {
    throw invalid(name, error.message)
  }
  for await (const { path: file, entry } of walkFolder(root, unreadable)) {
    if (entry.isDirectory()) continue
    const path = relative(root, file).split(sep).join('/')
    if (!entry.isFile()) throw invalid(name, `${path} is not a regular file`)
    const { size, mode } = await lstat(file)
    sizeBytes += size
    if (sizeBytes > maxStepArtifactBytes) {
      throw invalid(name, `it has more than ${maxStepArtifactBytes / 1024 / 1024} MiB, the maximum for an artifact`)
    }
    if (files.length === maxStepArtifactFiles) {
      throw invalid(name, `it has more than ${maxStepArtifactFiles} files, the maximum for an artifact`, {
        description: 'Upload one archive with the files instead.',
      })
    }
    files.push({ path, content: await readFile(file), isExecutable: (mode & 0o100) !== 0 })
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1))
}

async function upload(attempt: Attempt, name: string, files: readonly PackagedFile[]): Promise<void> {
  const packed = await packFiles(files)
  const sizeBytes = files.reduce((sum, { content }) => sum + content.length, 0)
  const end = { fileCount: files.length, sizeBytes, sha256: hashBytes(packed) }
  for (let from = 0, position = 0; from < packed.length; from += stepArtifactPieceBytes, position++) {
    attempt.signal.throwIfAborted()
    const piece = packed.subarray(from, from + stepArtifactPieceBytes)
    const isLast = from + stepArtifactPieceBytes >= packed.length
    await attempt.api.uploadStepArtifact({ name, position, content: piece.toString('base64'), ...(isLast && { end }) })
  }
}

const invalid = (
  name: string,
  reason: string,
  extras: ConstructorParameters<typeof StepFailure>[2] = {},
): StepFailure => new StepFailure('stepArtifactInvalid', `Cannot upload the artifact ${name}: ${reason}.`, extras)
