import type { Client } from '@sluice/client'
import { makePlan, type Planning } from '@sluice/server/interface/project-files/make-plan'
import {
  type FileBytes,
  type ProjectFiles,
  type ReadOptions,
  readProjectFiles,
} from '@sluice/server/interface/project-files/read'
import { bytesOf, findFiles, reasonOf } from '../lint/files.ts'

/** Reads all documents in a folder. */
export async function readFolder(folder: string, reading: ReadOptions): Promise<ProjectFiles> {
  const { sources, unreadable } = findFiles([folder])
  if (unreadable[0]) throw new Error(`${unreadable[0].file} cannot be read: ${unreadable[0].reason}.`)
  return readProjectFiles(bytesIn(sources), reading)
}

async function* bytesIn(sources: readonly { file: string }[]): AsyncIterable<FileBytes> {
  for (const { file } of sources) {
    const bytes = await bytesOf(file).catch((error: unknown) => {
      throw new Error(`${file} cannot be read: ${reasonOf(error)}.`)
    })
    yield { file, bytes }
  }
}

/** Plan settings with the variables that files can use. */
export type FolderPlanning = Planning & { env: NodeJS.ProcessEnv }

/** Plans the changes for the files in a folder, or returns all errors, in which case nothing can be applied. */
export async function planFolder(client: Client, folder: string, { env, ...planning }: FolderPlanning) {
  const { project } = planning
  return makePlan(client, await readFolder(folder, { env, ...(project !== undefined && { project }) }), planning)
}
