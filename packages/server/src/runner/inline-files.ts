import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { failures } from '@sluice/contract'
import type { CheckOut } from './command.ts'

/** Checks out sources whose files stand in the configuration itself. */
export const checkOutFiles: CheckOut = async (source, directory) => {
  if (!('files' in source)) {
    const message = 'This runner checks out no repositories.'
    return { error: { code: failures.sourceUnavailable.code, message } }
  }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (const [path, content] of Object.entries(source.files)) {
    const file = join(directory, path)
    if (!file.startsWith(directory + sep) || path.includes('\0')) {
      const message = `The file ${JSON.stringify(path)} would lie outside of its source.`
      return { error: { code: failures.sourceUnavailable.code, message } }
    }
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, content, { mode: 0o600 })
  }
  return { directory: join(directory, source.base_path ?? '.') }
}
