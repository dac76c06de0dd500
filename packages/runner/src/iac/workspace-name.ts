import { join, relative } from 'node:path'
import type { Attempt } from '../attempt.ts'
import { walkFolder } from '../walk-folder.ts'
import { workspaceVariable } from './environment.ts'

/** Where the configuration is. Programs have written there, so it is read as what they left. */
type Place = { directory: string; attempt: Pick<Attempt, 'directory' | 'result'> }

/**
 * What to say of a configuration that reads the tool's own name of the workspace. States are kept by the tool's `http`
 * backend, which knows no workspaces ("Workspaces" in the documentation of both tools, read 2026-11): the name is
 * `default` whatever the stack calls it, and what is named by it collides. Undefined where it does not, or is right.
 */
export async function warningOfWorkspace(place: Place, workspace: string | undefined): Promise<string | undefined> {
  if (workspace === undefined || workspace === 'default') return undefined
  const [where] = await placesThatReadIt(place)
  if (where === undefined) return undefined
  return [
    `Warning: ${where} reads terraform.workspace, which is "default" in every workspace of a stack.`,
    `  This is the workspace "${workspace}": what is named by terraform.workspace collides with that of the others.`,
    `  Declare the variable ${workspaceVariable}, which is set to the name, and read var.${workspaceVariable} instead.`,
  ].join('\n')
}

const reads = /\b(?:terraform|tofu)\.workspace\b/
const isComment = /^\s*(?:#|\/\/)/

/** More files, and larger ones, are not looked through: it is only a warning. Bytes. */
const most = { entries: 20_000, files: 1_000, bytes: 1024 * 1024 }

/** In the order of the files; plug-ins and modules that were fetched are not looked at. */
async function placesThatReadIt({ directory, attempt }: Place): Promise<string[]> {
  const files: string[] = []
  let seenCount = 0
  for await (const { path, entry } of walkFolder(directory, () => {})) {
    seenCount += 1
    if (seenCount > most.entries) break
    if (entry.isFile() && /\.(?:tf|tofu)(?:\.json)?$/.test(entry.name) && !path.split('/').includes('.terraform'))
      files.push(relative(directory, path))
  }
  const places: string[] = []
  for (const path of files.toSorted().slice(0, most.files)) {
    const result = await attempt.result(join(relative(attempt.directory, directory), path), most.bytes)
    const lines = result && 'content' in result ? result.content.toString('utf8').split('\n') : []
    const found = lines.findIndex((line) => reads.test(line) && !isComment.test(line))
    if (found >= 0) places.push(`${path} line ${found + 1}`)
  }
  return places
}
