import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { maxStepArtifactBytes, maxStepArtifactFiles } from '@sluice/contract/runner-protocol/constants'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** A file in a package. Its path is relative, with slashes. */
export type PackagedFile = { path: string; content: Buffer; isExecutable: boolean }

type Listed = { path: string; sizeBytes: number; isExecutable: boolean }

const lengthBytes = 4
/** Maximum size of the list of files in bytes: a path of the maximum length per file, and what surrounds it. */
const maxListBytes = maxStepArtifactFiles * 4_200
const maxPathLength = 1_024

/** The content is not a package of files, or one that would leave its folder. */
export class PackageInvalid extends Error {
  override readonly name = 'PackageInvalid'
}

/**
 * Packages files: the length of the list as 4 bytes, the list as JSON, and the contents in its order, compressed. The
 * format has no links, owners or absolute paths, so nothing of it has to be trusted.
 */
export function packFiles(files: readonly PackagedFile[]): Promise<Buffer> {
  const listed = files.map(
    ({ path, content, isExecutable }): Listed => ({ path, sizeBytes: content.length, isExecutable }),
  )
  const list = Buffer.from(JSON.stringify(listed))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(list.length)
  return compress(Buffer.concat([length, list, ...files.map(({ content }) => content)]))
}

/**
 * Returns the files of a package. Checks every field, because a program of the earlier step may have created it.
 * @throws {PackageInvalid} if it is not a package
 */
export async function readPackage(packed: Buffer): Promise<PackagedFile[]> {
  const maxOutputLength = lengthBytes + maxListBytes + maxStepArtifactBytes
  const bytes = await decompress(packed, { maxOutputLength }).catch((error: Error) => {
    throw new PackageInvalid(error.message)
  })
  const begin = lengthBytes + (bytes.length >= lengthBytes ? bytes.readUInt32BE() : Number.POSITIVE_INFINITY)
  if (begin > bytes.length) throw new PackageInvalid('it is too short')
  const listed = readList(bytes.subarray(lengthBytes, begin).toString())
  const sizeBytes = listed.reduce((sum, file) => sum + file.sizeBytes, 0)
  if (begin + sizeBytes !== bytes.length) throw new PackageInvalid('the sizes of its files do not add up')
  let from = begin
  return listed.map(({ path, sizeBytes: size, isExecutable }) => {
    const content = bytes.subarray(from, from + size)
    from += size
    return { path, content, isExecutable }
  })
}

function readList(text: string): Listed[] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    throw new PackageInvalid('its list of files is not JSON')
  }
  if (!Array.isArray(list) || list.length > maxStepArtifactFiles) throw new PackageInvalid('it has no list of files')
  const paths = new Set<string>()
  return list.map((file: Partial<Listed> | null) => {
    const { path, sizeBytes, isExecutable } = file ?? {}
    if (typeof path !== 'string' || !isPathInside(path)) {
      throw new PackageInvalid(`${JSON.stringify(path)} is not the path of a file inside it`)
    }
    if (typeof sizeBytes !== 'number' || !Number.isSafeInteger(sizeBytes) || sizeBytes < 0) {
      throw new PackageInvalid(`${path} has no size`)
    }
    if (paths.has(path)) throw new PackageInvalid(`${path} is there twice`)
    paths.add(path)
    return { path, sizeBytes, isExecutable: isExecutable === true }
  })
}

/** Reports whether a path is relative and stays inside its folder. */
export const isPathInside = (path: string): boolean =>
  path.length <= maxPathLength &&
  !/[\0\\]/.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

/**
 * Writes files to a new folder, in place of what is there. No program may be able to write to its parent folder, so
 * that no link leads outside.
 * @throws {PackageInvalid} if one path is a file and a folder
 */
export async function writePackage(files: readonly PackagedFile[], folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o755 })
  for (const { path, content, isExecutable } of files) {
    const file = join(folder, path)
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o755 })
      await writeFile(file, content, { flag: 'wx', mode: isExecutable ? 0o755 : 0o644 })
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(code)) throw error
      throw new PackageInvalid(`${path} cannot be written: ${code}`)
    }
  }
}
