import { invalid } from './records.ts'

/** Limits of "Lambda quotas" (read 2026-11), in bytes. */
const maxZipped = 50 * 1024 * 1024
const maxUnzipped = 262_144_000

/** Rejects invalid archives and those that exceed the unzipped size limit. */
export function checkArchive(bytes: Buffer): void {
  if (bytes.length === 0) throw invalid('Uploaded file must be a non-empty zip')
  if (!bytes.subarray(0, 2).equals(Buffer.from('PK'))) {
    throw invalid('Could not unzip uploaded file. Please check your file, then try to upload again.')
  }
  if (bytes.length > maxZipped) throw invalid(`Zipped size must be smaller than ${maxZipped} bytes`)
  if (unzippedSize(bytes) > maxUnzipped) throw invalid(`Unzipped size must be smaller than ${maxUnzipped} bytes`)
}

/**
 * Returns the unzipped size from the archive's directory: entries begin with `PK 1 2`, and their size is at byte 24.
 */
function unzippedSize(bytes: Buffer): number {
  const mark = Buffer.from('PK\u0001\u0002')
  let sum = 0
  for (let at = bytes.indexOf(mark); at >= 0 && at + 28 <= bytes.length; at = bytes.indexOf(mark, at + 4)) {
    sum += bytes.readUInt32LE(at + 24)
  }
  return sum
}
