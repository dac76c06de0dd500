import { realpath } from 'node:fs/promises'
import { relative } from 'node:path'
import { findFiles } from '@sluice/cli/lint/files'

/** Throws if a file is outside the checkout. A link that points outside would let its author read any file. */
export async function expectInside(checkout: string, folder: string): Promise<void> {
  const root = await realpath(checkout)
  for (const { file } of findFiles([folder]).sources) {
    const isOutside = relative(root, await realpath(file)).split(/[\\/]/)[0] === '..'
    if (isOutside) throw new Error(`${file} leads out of the folder of the job, where no file of it may be.`)
  }
}
