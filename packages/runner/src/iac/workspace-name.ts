import { join, relative } from 'node:path'
import type { Attempt } from '../attempt.ts'
import { walkFolder } from '../walk-folder.ts'
import { workspaceVariable } from './environment.ts'

/** A folder that programs have written to. Read it with `readResult` only, which does not follow links. */
type ConfigurationFolder = { directory: string; attempt: Pick<Attempt, 'directory' | 'readResult'> }

/**
 * Returns a warning for a configuration that uses `terraform.workspace`; undefined if it does not or the value is
 * right. The tool's `http` backend has no workspaces ("Workspaces" in the documentation of both tools, read 2026-11).
 * So the value is always `default`, and names that contain it collide.
 */
export async function findWorkspaceWarning(
  place: ConfigurationFolder,
  workspace: string | undefined,
): Promise<string | undefined> {
  if (workspace === undefined || workspace === 'default') return undefined
  const [where] = await findReferences(place)
  if (where === undefined) return undefined
  return [
    `Warning: ${where} uses terraform.workspace, which is "default" in every workspace of a stack.`,
    `  This is the workspace "${workspace}". Names that contain terraform.workspace collide with those of other workspaces.`,
    `  Declare the variable ${workspaceVariable}, which Sluice sets to the name, and use var.${workspaceVariable} instead.`,
  ].join('\n')
}

const workspaceReference = /\b(?:terraform|tofu)\.workspace\b/
const isComment = /^\s*(?:#|\/\/)/

/** Limits of the search. It only serves a warning. */
const searchLimits = { entries: 20_000, files: 1_000, bytes: 1024 * 1024 }

/** Returns locations in the order of the files. Skips fetched plugins and modules. */
async function findReferences({ directory, attempt }: ConfigurationFolder): Promise<string[]> {
  const files: string[] = []
  let seenCount = 0
  for await (const { path, entry } of walkFolder(directory, () => {})) {
    seenCount += 1
    if (seenCount > searchLimits.entries) break
    if (entry.isFile() && /\.(?:tf|tofu)(?:\.json)?$/.test(entry.name) && !path.split('/').includes('.terraform'))
      files.push(relative(directory, path))
  }
  const places: string[] = []
  for (const path of files.toSorted().slice(0, searchLimits.files)) {
    const result = await attempt.readResult(join(relative(attempt.directory, directory), path), searchLimits.bytes)
    const lines = result && 'content' in result ? result.content.toString('utf8').split('\n') : []
    const found = lines.findIndex((line) => workspaceReference.test(line) && !isComment.test(line))
    if (found >= 0) places.push(`${path} line ${found + 1}`)
  }
  return places
}
